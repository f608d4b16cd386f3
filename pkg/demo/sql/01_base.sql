-- Calendar, demand and the things that are sold: what all marts draw from.
-- Variables: yesterday DATE, scale DOUBLE, and one per parameter of a planted fact.
-- work.country and work.category were filled from data/*.yaml before.

-- u is a number in [0, 1) that depends on its arguments alone. salt tells draws
-- for the same thing apart. hash of two values only XORs their hashes, which would
-- tie the draws of two salts together; the outer hash mixes them.
CREATE MACRO u(salt, key) AS ((hash(hash(key::BIGINT, salt)) >> 11)::DOUBLE / 9007199254740992.0);
-- key2 joins two small numbers into one key.
CREATE MACRO key2(a, b) AS (a::BIGINT * 1000003 + b::BIGINT);
-- pick takes the element of a list that a number in [0, 1) points at.
CREATE MACRO pick(list, x) AS (list[1 + floor(x * len(list))::BIGINT]);
CREATE MACRO in_window(ago, first_ago, last_ago) AS (ago <= first_ago AND ago >= last_ago);

-- 400 days that end yesterday. campaign is the weight of double days (9.9, 11.11).
CREATE TABLE work.day AS
SELECT
  grass_date,
  day_no,
  399 - day_no AS ago,
  (grass_date - DATE '1970-01-01')::BIGINT AS epoch_day,
  list_value(1.15, 0.97, 0.94, 0.94, 0.96, 1.00, 1.09)[1 + dayofweek(grass_date)] AS week_weight,
  CASE
    WHEN month(grass_date) <> day(grass_date) THEN CASE WHEN day(grass_date) = 25 THEN 1.2 ELSE 1.0 END
    WHEN month(grass_date) = 11 THEN 3.6
    WHEN month(grass_date) = 12 THEN 3.0
    WHEN month(grass_date) = 9 THEN 2.6
    WHEN month(grass_date) = 10 THEN 2.2
    ELSE 1.6
  END AS campaign_weight,
  CASE WHEN month(grass_date) = day(grass_date) THEN month(grass_date) || '.' || day(grass_date) END AS campaign_name
FROM (SELECT (getvariable('yesterday') - (399 - i)::INTEGER)::DATE AS grass_date, i AS day_no FROM range(400) AS r(i));

-- Demand of a country on a day. eligible_users are those who registered before it.
CREATE TABLE work.day_country AS
WITH demand AS (
  SELECT
    c.*, d.*,
    d.epoch_day * 16 + c.country_no AS dc_key,
    0.85 + 0.30 * d.day_no / 400 AS growth,
    round(c.fx * (1 + 0.02 * sin(d.day_no / 57.0 + c.country_no)), 4)::DECIMAL(18, 4) AS fx_rate
  FROM work.country c, work.day d
), counted AS (
  SELECT
    *,
    greatest(1, floor(orders * getvariable('scale') * growth * week_weight * campaign_weight * (0.94 + 0.12 * u('orders', dc_key)) + u('round', dc_key)))::BIGINT AS order_n,
    greatest(3, floor(orders * getvariable('scale') * visits * growth * week_weight * sqrt(campaign_weight) * (0.96 + 0.08 * u('visitors', dc_key))))::BIGINT AS visitor_n,
    greatest(1, floor(orders * getvariable('scale') * 0.10 * growth * sqrt(campaign_weight) * (0.8 + 0.4 * u('new', dc_key)) + u('new round', dc_key)))::BIGINT AS new_user_n
  FROM demand
)
SELECT
  *,
  prior_users + coalesce(sum(new_user_n) OVER (PARTITION BY country_no ORDER BY day_no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::BIGINT AS eligible_users
FROM (SELECT *, greatest(20, floor(orders * getvariable('scale') * 60))::BIGINT AS prior_users FROM counted);

-- A seller runs one or two shops: shops 1, 6, 11, ... belong to the seller of the shop before.
CREATE TABLE work.shop AS
SELECT
  *,
  country_no * 100000 + shop_no + 1 AS shop_id,
  country_no * 100000 + 50000 + CASE WHEN shop_no % 5 = 1 THEN shop_no - 1 ELSE shop_no END + 1 AS seller_id,
  (shop_no * 7 + country_no * 5) % 12 AS category_no,
  (DATE '2019-01-01' + floor(u('opened', key2(shop_no, country_no)) * 1600)::INTEGER)::DATE AS opened_date,
  CASE WHEN u('mall', key2(shop_no, country_no)) < 0.18 THEN 'MALL' WHEN u('mall', key2(shop_no, country_no)) < 0.45 THEN 'PREFERRED' ELSE 'NORMAL' END AS shop_type,
  pick(['Sunny', 'Blue Ocean', 'Lucky', 'Golden Leaf', 'Happy', 'Urban', 'Green Hill', 'Silver Star', 'Little Panda', 'Morning', 'Red Kite', 'Bright'], u('adj', key2(shop_no, country_no)))
    || ' ' || pick(['House', 'Corner', 'Market', 'Studio', 'Gallery', 'Depot', 'Supply', 'Bazaar', 'Outlet', 'Trading'], u('noun', key2(shop_no, country_no)))
    || ' ' || country || ' ' || lpad((shop_no + 1)::VARCHAR, 2, '0') AS shop_name
FROM (SELECT c.*, unnest(range(c.shops)) AS shop_no FROM work.country c);

CREATE TABLE work.seller AS
SELECT
  seller_id, country,
  any_value(country_no) AS country_no,
  count(*)::INTEGER AS shop_cnt,
  'Seller ' || country || ' ' || lpad((seller_id % 50000)::VARCHAR, 3, '0') AS seller_name,
  CASE WHEN u('company', seller_id) < 0.6 THEN 'COMPANY' ELSE 'INDIVIDUAL' END AS seller_type,
  CASE WHEN u('cross border', seller_id) < 0.15 THEN TRUE ELSE FALSE END AS is_cross_border,
  min(opened_date) AS joined_date,
  CASE WHEN u('kam', seller_id) < 0.35 THEN 'KAM team ' || (1 + floor(u('kam no', seller_id) * 4)::INTEGER)::VARCHAR END AS key_account_team
FROM work.shop GROUP BY seller_id, country;

-- 40 items a shop; most are of the shop's own category.
CREATE TABLE work.item AS
WITH drawn AS (
  SELECT
    s.* EXCLUDE (category_no),
    item_in_shop,
    s.country_no * 10000000 + s.shop_no * 40 + item_in_shop + 1 AS item_id,
    CASE WHEN item_in_shop < 34 THEN s.category_no ELSE (s.category_no + item_in_shop) % 12 END AS category_no
  FROM (SELECT *, unnest(range(40)) AS item_in_shop FROM work.shop) s
)
SELECT
  i.country, i.country_no, i.decimals, i.shop_no, i.item_in_shop, i.item_id, i.shop_id, i.seller_id,
  c.category_no * 3 + 1 + floor(u('sub', i.item_id) * 3)::INTEGER AS category_id,
  c.level1_category,
  pick(c.sub, u('sub', i.item_id)) AS level2_category,
  pick(['Classic', 'Premium', 'Mini', 'Portable', 'Soft', 'Smart', 'Eco', 'Pro', 'Everyday', 'Deluxe'], u('title', i.item_id))
    || ' ' || pick(c.sub, u('sub', i.item_id)) || ' ' || (100 + floor(u('model', i.item_id) * 900)::INTEGER)::VARCHAR AS item_name,
  CASE WHEN u('brand', i.item_id) < 0.7 THEN pick(['Nordale', 'Kirabo', 'Tamasu', 'Velora', 'Ostwind', 'Makiri', 'Lumeno', 'Bayanto'], u('brand no', i.item_id)) END AS brand,
  round(c.price * i.price * i.fx * exp(0.9 * (2 * u('price', i.item_id) - 1)), i.decimals)::DECIMAL(18, 2) AS list_price_local,
  CASE WHEN u('status', i.item_id) < 0.93 THEN 'NORMAL' WHEN u('status', i.item_id) < 0.97 THEN 'SOLD_OUT' ELSE 'DELISTED' END AS item_status,
  floor(u('stock', i.item_id) * 500)::INTEGER AS stock_qty,
  (i.opened_date + floor(u('listed', i.item_id) * 300)::INTEGER)::DATE AS listed_date
FROM drawn i JOIN work.category c USING (category_no);
