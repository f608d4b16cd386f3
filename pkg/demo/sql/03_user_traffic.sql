-- Users and what they do before they buy.

CREATE TABLE work.user AS
WITH numbered AS (
  -- Those who were there before the window, in the 800 days before it.
  SELECT country, country_no, ios, user_no, (getvariable('yesterday') - 399 - 800 + floor(800.0 * user_no / prior_users)::INTEGER)::DATE AS registration_date
  FROM (SELECT *, unnest(range(prior_users)) AS user_no FROM work.day_country WHERE day_no = 0)
  UNION ALL
  SELECT country, country_no, ios, eligible_users + n, grass_date
  FROM (SELECT *, unnest(range(new_user_n)) AS n FROM work.day_country)
)
SELECT
  country, country_no, registration_date,
  (country_no + 1) * 10000000 + user_no + 1 AS user_id,
  CASE WHEN u('platform', key2(user_no, country_no)) < ios THEN 'IOS' WHEN u('platform', key2(user_no, country_no)) < ios + (1 - ios) * 0.8 THEN 'ANDROID' ELSE 'WEB' END AS registration_platform,
  'user_' || country_no || '_' || lpad(user_no::VARCHAR, 6, '0') AS user_name,
  'user' || country_no || '.' || user_no || '@example.com' AS email,
  CASE WHEN u('phone', key2(user_no, country_no)) < 0.9 THEN '+00 555 ' || lpad((user_no * 7919 % 10000000)::VARCHAR, 7, '0') END AS phone,
  CASE WHEN u('gender', key2(user_no, country_no)) < 0.44 THEN 'F' WHEN u('gender', key2(user_no, country_no)) < 0.80 THEN 'M' END AS gender,
  CASE WHEN u('age', key2(user_no, country_no)) < 0.9 THEN pick(['18-24', '18-24', '25-34', '25-34', '25-34', '35-44', '35-44', '45-54', '55+'], u('age group', key2(user_no, country_no))) END AS age_group,
  pick(['Bronze', 'Bronze', 'Bronze', 'Silver', 'Silver', 'Gold', 'Platinum'], u('level', key2(user_no, country_no))) AS member_level,
  CASE WHEN u('source', key2(user_no, country_no)) < 0.95 THEN pick(['ORGANIC', 'ORGANIC', 'SEARCH_AD', 'SOCIAL', 'REFERRAL'], u('channel', key2(user_no, country_no))) END AS acquisition_channel
FROM numbered;

CREATE TABLE work.platform_traffic_1d AS
WITH share AS (
  SELECT country, grass_date, ago, epoch_day, country_no, visitor_n, platform,
    CASE platform WHEN 'IOS' THEN ios WHEN 'ANDROID' THEN (1 - ios) * 0.8 ELSE (1 - ios) * 0.2 END AS share,
    dc_key * 4 + CASE platform WHEN 'IOS' THEN 0 WHEN 'ANDROID' THEN 1 ELSE 2 END AS dcp_key
  FROM work.day_country, (SELECT unnest(['IOS', 'ANDROID', 'WEB']) AS platform)
), visited AS (
  SELECT *, greatest(2, round(visitor_n * share))::BIGINT AS visitor_cnt FROM share
), paged AS (
  SELECT *, round(visitor_cnt * (4.6 + 1.2 * u('pages', dcp_key)))::BIGINT AS page_view_cnt, round(visitor_cnt * (0.13 + 0.05 * u('cart', dcp_key)))::BIGINT AS cart_user_cnt FROM visited
), ordered AS (
  SELECT country, grass_date, platform, count(*) AS order_cnt FROM work.orders GROUP BY country, grass_date, platform
)
SELECT p.country, p.country_no, p.grass_date, p.ago, p.platform, p.visitor_cnt, p.page_view_cnt, p.cart_user_cnt, coalesce(o.order_cnt, 0)::BIGINT AS order_cnt, p.dcp_key
FROM paged p LEFT JOIN ordered o USING (country, grass_date, platform);

CREATE VIEW work.platform_traffic_with_gap AS
SELECT * FROM work.platform_traffic_1d
WHERE NOT in_window(ago, getvariable('gap_first_ago'), getvariable('gap_last_ago'));

-- Page views are kept for seven days, of three countries.
CREATE TABLE work.page_view AS
SELECT
  country, grass_date, platform,
  dcp_key * 10000000 + n AS page_view_id,
  -- Each visitor views at least one page, so that the distinct visitors agree.
  dcp_key * 1000000 + CASE WHEN n < visitor_cnt THEN n ELSE floor(u('visitor', dcp_key * 1000000 + n) * visitor_cnt)::BIGINT END AS visitor_id,
  pick(['HOME', 'HOME', 'SEARCH', 'SEARCH', 'ITEM', 'ITEM', 'ITEM', 'ITEM', 'SHOP', 'CART', 'CAMPAIGN'], u('page', dcp_key * 1000000 + n)) AS page_type,
  CASE WHEN u('source', dcp_key * 1000000 + n) < 0.9 THEN pick(['DIRECT', 'PUSH', 'SEARCH_AD', 'SOCIAL', 'EMAIL'], u('traffic source', dcp_key * 1000000 + n)) END AS traffic_source,
  grass_date::TIMESTAMP + to_seconds(floor(u('time', dcp_key * 1000000 + n) * 86400)::BIGINT) AS event_time,
  floor(power(u('stay', dcp_key * 1000000 + n), 3) * 300)::INTEGER AS stay_seconds
FROM (SELECT *, unnest(range(page_view_cnt)) AS n FROM work.platform_traffic_1d WHERE ago < 7 AND country IN ('SG', 'ID', 'BR'));

-- A user counts once a day, on the platform used most.
CREATE TABLE work.user_active_1d AS
WITH registered AS (
  SELECT country, registration_date AS grass_date, registration_platform AS platform, count(*) AS new_user_cnt FROM work.user GROUP BY ALL
)
SELECT t.country, t.grass_date, t.platform,
  greatest(1, round(t.visitor_cnt * (0.74 + 0.06 * u('active', t.dcp_key))))::BIGINT AS active_user_cnt,
  coalesce(r.new_user_cnt, 0)::BIGINT AS new_user_cnt
FROM work.platform_traffic_1d t LEFT JOIN registered r USING (country, grass_date, platform);
