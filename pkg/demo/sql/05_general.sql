-- The general layer: what spans marts and countries.

CREATE TABLE work.business_overview_1d AS
SELECT
  g.country, g.grass_date, g.gmv_usd, g.net_gmv_usd, g.order_cnt, g.paid_order_cnt, g.cancelled_order_cnt, g.buyer_cnt,
  a.active_user_cnt, a.new_user_cnt, s.active_seller_cnt, coalesce(d.delivered_parcel_cnt, 0)::BIGINT AS delivered_parcel_cnt, c.chatbot_session_cnt
FROM work.order_gmv_1d g
JOIN (SELECT country, grass_date, sum(active_user_cnt)::BIGINT AS active_user_cnt, sum(new_user_cnt)::BIGINT AS new_user_cnt FROM work.user_active_1d GROUP BY ALL) a USING (country, grass_date)
JOIN (SELECT country, grass_date, count(DISTINCT seller_id) AS active_seller_cnt FROM work.seller_gmv_1d GROUP BY ALL) s USING (country, grass_date)
JOIN (SELECT country, grass_date, sum(session_cnt)::BIGINT AS chatbot_session_cnt FROM work.chatbot_1d GROUP BY ALL) c USING (country, grass_date)
LEFT JOIN (SELECT country, grass_date, sum(delivered_parcel_cnt)::BIGINT AS delivered_parcel_cnt FROM work.delivery_1d GROUP BY ALL) d USING (country, grass_date);

-- uplift compares a campaign day with the mean of the seven days before it.
CREATE TABLE work.campaign_1d AS
SELECT c.country, c.grass_date, c.campaign_name, g.gmv_usd, g.order_cnt, b.baseline_gmv_usd, round(g.gmv_usd / nullif(b.baseline_gmv_usd, 0), 2)::DOUBLE AS uplift
FROM work.day_country c
JOIN work.order_gmv_1d g USING (country, grass_date)
JOIN (
  SELECT x.country, x.grass_date, avg(y.gmv_usd)::DECIMAL(18, 2) AS baseline_gmv_usd
  FROM work.day_country x JOIN work.order_gmv_1d y ON y.country = x.country AND y.grass_date BETWEEN x.grass_date - 7 AND x.grass_date - 1
  WHERE x.campaign_name IS NOT NULL GROUP BY x.country, x.grass_date) b USING (country, grass_date)
WHERE c.campaign_name IS NOT NULL;

CREATE VIEW work.calendar AS
SELECT grass_date, year(grass_date)::INTEGER AS year, quarter(grass_date)::INTEGER AS quarter, month(grass_date)::INTEGER AS month, date_trunc('week', grass_date)::DATE AS week_start, dayname(grass_date) AS weekday, dayofweek(grass_date) IN (0, 6) AS is_weekend, campaign_name
FROM work.day;

CREATE VIEW work.exchange_rate AS
SELECT grass_date, currency, fx_rate AS local_per_usd FROM work.day_country;

CREATE VIEW work.category_dim AS
SELECT category_no * 3 + i + 1 AS category_id, level1_category, level1_category_zh, sub[i + 1] AS level2_category, category_group
FROM (SELECT *, unnest(range(3)) AS i FROM work.category);

CREATE VIEW work.country_dim AS
SELECT country, country_name, country_name_zh, currency, idc_region FROM work.country;

-- The site-visit table that dws_platform_traffic_1d replaced; it stopped 120 days ago.
CREATE VIEW work.site_visit_1d AS
SELECT country, grass_date, sum(visitor_cnt)::BIGINT AS visitor_cnt, sum(page_view_cnt)::BIGINT AS page_view_cnt
FROM work.platform_traffic_1d WHERE ago >= 120 GROUP BY country, grass_date;

CREATE VIEW work.shop_dim AS
SELECT s.* EXCLUDE (price), c.level1_category FROM work.shop s JOIN work.category c USING (category_no);
