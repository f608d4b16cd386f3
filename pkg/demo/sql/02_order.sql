-- Orders, their items, refunds, and the daily figures that sum them up.

-- order_id is day, country and number: 261119 1 00045.
CREATE TABLE work.orders AS
WITH numbered AS (
  SELECT
    * EXCLUDE (orders, hubs, price),
    (year(grass_date) % 100 * 10000 + month(grass_date) * 100 + day(grass_date)) * 1000000 + (country_no + 1) * 100000 + seq AS order_id
  FROM (SELECT *, unnest(range(order_n)) AS seq FROM work.day_country)
), drawn AS (
  SELECT
    *,
    CASE WHEN u('payment', order_id) < 0.42 THEN payments[1] WHEN u('payment', order_id) < 0.72 THEN payments[2] WHEN u('payment', order_id) < 0.90 THEN payments[3] ELSE payments[4] END AS payment_method,
    CASE WHEN u('platform', order_id) < ios THEN 'IOS' WHEN u('platform', order_id) < ios + (1 - ios) * 0.8 THEN 'ANDROID' ELSE 'WEB' END AS platform,
    floor(power(u('buyer', order_id), 1.3) * eligible_users)::BIGINT AS user_no,
    floor(power(u('shop', order_id), 1.7) * shops)::BIGINT AS any_shop_no,
    u('cancel', order_id) AS u_cancel,
    floor(u('ship', order_id) * 3)::INTEGER AS ship_days,
    -- Most parcels are within the promise; a tail is not.
    greatest(1, round(sla_days * (0.35 + 0.62 * u('deliver', order_id)) + CASE WHEN u('tail', order_id) < 0.07 THEN 1 + 5 * u('tail days', order_id) ELSE 0 END))::INTEGER AS plain_delivery_days,
    u('hub', order_id) AS u_hub,
    3 + floor(u('return days', order_id) * 7)::INTEGER AS return_days
  FROM numbered
), placed AS (
  SELECT
    *,
    -- While the surge lasts, a share of the orders goes to a near shop of its category.
    CASE
      WHEN in_window(ago, getvariable('surge_first_ago'), getvariable('surge_last_ago')) AND u('surge', order_id) < getvariable('surge_share')
      THEN any_shop_no // 12 * 12 + (7 * (getvariable('surge_category_no') - 5 * country_no) % 12 + 12) % 12
      ELSE any_shop_no
    END AS shop_no,
    floor(power(u_hub, 1.4) * hub_n)::INTEGER AS hub_no
  FROM drawn
  WHERE NOT (
    country_no = getvariable('drop_country_no') AND in_window(ago, getvariable('drop_first_ago'), getvariable('drop_last_ago'))
    AND payment_method = 'BANK_TRANSFER' AND u('drop', order_id) < getvariable('drop_share'))
), dated AS (
  SELECT
    *,
    plain_delivery_days + CASE
      WHEN country_no = getvariable('hub_country_no') AND hub_no = getvariable('hub_hub_no')
        AND in_window(ago - ship_days, getvariable('hub_first_ago'), getvariable('hub_last_ago'))
      THEN getvariable('hub_days') ELSE 0 END AS delivery_days,
    u('carrier', order_id) < 0.85 AS is_spx
  FROM placed
)
SELECT
  * EXCLUDE (plain_delivery_days),
  (country_no + 1) * 10000000 + user_no + 1 AS buyer_id,
  CASE
    WHEN u_cancel < cancel THEN 'CANCELLED'
    WHEN ago <= 1 AND u('unpaid', order_id) < 0.10 THEN 'UNPAID'
    WHEN ship_days > ago THEN 'PAID'
    WHEN ship_days + delivery_days > ago THEN 'SHIPPED'
    WHEN u('return', order_id) < 0.03 AND ship_days + delivery_days + return_days <= ago THEN 'RETURNED'
    ELSE 'COMPLETED'
  END AS order_status,
  -- Local time of the country; lunch and evening are busiest.
  grass_date::TIMESTAMP + to_seconds(3600 * pick([0, 0, 1, 6, 7, 8, 8, 9, 9, 10, 10, 10, 11, 11, 12, 12, 12, 12, 13, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18, 19, 19, 19, 20, 20, 20, 20, 21, 21, 21, 21, 22, 22, 22, 22, 23, 23], u('hour', order_id)) + floor(u('second', order_id) * 3600)::BIGINT) AS create_time
FROM dated;

CREATE TABLE work.order_item AS
WITH lines AS (
  SELECT
    o.*,
    unnest(range(CASE WHEN u('lines', order_id) < 0.60 THEN 1 WHEN u('lines', order_id) < 0.85 THEN 2 WHEN u('lines', order_id) < 0.95 THEN 3 ELSE 4 END)) AS line
  FROM (
    SELECT country, country_no, decimals, grass_date, order_id, buyer_id, shop_no, platform, payment_method, order_status, create_time, fx_rate, campaign_name, u_cancel, is_spx
    FROM work.orders) o
), priced AS (
  SELECT
    l.* EXCLUDE (decimals),
    i.item_id, i.item_name, i.shop_id, i.seller_id, i.category_id, i.level1_category, i.level2_category, i.decimals,
    l.order_id * 10 + l.line + 1 AS order_item_id,
    CASE WHEN u('quantity', l.order_id * 10 + l.line) < 0.78 THEN 1 WHEN u('quantity', l.order_id * 10 + l.line) < 0.94 THEN 2 ELSE 3 END AS quantity,
    round(i.list_price_local::DOUBLE * CASE WHEN l.campaign_name IS NULL THEN 1.0 ELSE 0.85 END, i.decimals)::DECIMAL(18, 2) AS item_price_local
  FROM lines l JOIN work.item i
    ON i.country_no = l.country_no AND i.shop_no = l.shop_no
    AND i.item_in_shop = (floor(power(u('item', l.order_id), 1.5) * 40)::BIGINT + l.line * 11) % 40
), valued AS (
  SELECT *, (item_price_local * quantity)::DECIMAL(18, 2) AS gmv_local, round(item_price_local::DOUBLE * quantity / fx_rate::DOUBLE, 2)::DECIMAL(18, 2) AS gmv_usd
  FROM priced
)
SELECT
  *,
  order_status NOT IN ('CANCELLED', 'UNPAID') OR (order_status = 'CANCELLED' AND u_cancel < 0.02) AS is_paid,
  order_status NOT IN ('CANCELLED', 'RETURNED') AS is_net,
  CASE WHEN u('voucher', order_id) < 0.25 THEN round(gmv_local::DOUBLE * 0.1, decimals)::DECIMAL(18, 2) END AS voucher_local,
  CASE WHEN order_status = 'CANCELLED' THEN pick(['BUYER_CHANGED_MIND', 'OUT_OF_STOCK', 'PAYMENT_TIMEOUT', 'WRONG_ADDRESS'], u('cancel reason', order_id)) END AS cancel_reason
FROM valued;

-- One refund a returned order, on the day the return is accepted.
CREATE TABLE work.refund AS
SELECT
  o.country, o.grass_date + o.ship_days + o.delivery_days + o.return_days AS grass_date,
  o.order_id * 10 AS refund_id, o.order_id, o.buyer_id, i.seller_id, o.grass_date AS order_date,
  i.refund_local, i.refund_usd,
  pick(['DAMAGED', 'NOT_AS_DESCRIBED', 'WRONG_ITEM', 'CHANGED_MIND'], u('refund reason', o.order_id)) AS refund_reason
FROM work.orders o
JOIN (SELECT order_id, any_value(seller_id) AS seller_id, sum(gmv_local)::DECIMAL(18, 2) AS refund_local, sum(gmv_usd)::DECIMAL(18, 2) AS refund_usd
      FROM work.order_item WHERE order_status = 'RETURNED' GROUP BY order_id) i USING (order_id);

-- measures are the sums that every daily order table has, so that they agree by
-- construction of the rows and not of the text. line = 0 marks an order's first item.
CREATE TABLE work.order_gmv_1d AS
SELECT
  country, grass_date,
  sum(gmv_usd)::DECIMAL(18, 2) AS gmv_usd, sum(gmv_local)::DECIMAL(18, 2) AS gmv_local,
  coalesce(sum(gmv_usd) FILTER (is_net), 0)::DECIMAL(18, 2) AS net_gmv_usd,
  coalesce(sum(gmv_usd) FILTER (order_status = 'RETURNED'), 0)::DECIMAL(18, 2) AS refund_usd,
  count(*) FILTER (line = 0) AS order_cnt,
  count(*) FILTER (line = 0 AND is_paid) AS paid_order_cnt,
  count(*) FILTER (line = 0 AND order_status = 'CANCELLED') AS cancelled_order_cnt,
  count(*) FILTER (line = 0 AND order_status = 'RETURNED') AS returned_order_cnt,
  sum(quantity)::BIGINT AS item_qty,
  count(DISTINCT buyer_id) AS buyer_cnt
FROM work.order_item GROUP BY country, grass_date;

CREATE TABLE work.seller_gmv_1d AS
SELECT
  country, grass_date, seller_id,
  sum(gmv_usd)::DECIMAL(18, 2) AS gmv_usd, sum(gmv_local)::DECIMAL(18, 2) AS gmv_local,
  coalesce(sum(gmv_usd) FILTER (is_net), 0)::DECIMAL(18, 2) AS net_gmv_usd,
  count(*) FILTER (line = 0) AS order_cnt,
  count(*) FILTER (line = 0 AND order_status = 'CANCELLED') AS cancelled_order_cnt,
  sum(quantity)::BIGINT AS item_qty
FROM work.order_item GROUP BY country, grass_date, seller_id;

CREATE TABLE work.category_gmv_1d AS
SELECT
  country, grass_date, level1_category,
  sum(gmv_usd)::DECIMAL(18, 2) AS gmv_usd,
  coalesce(sum(gmv_usd) FILTER (is_net), 0)::DECIMAL(18, 2) AS net_gmv_usd,
  sum(quantity)::BIGINT AS item_qty
FROM work.order_item GROUP BY country, grass_date, level1_category;

CREATE TABLE work.item_sales_rank_1m AS
SELECT country, month, rank_no, item_id, item_name, level1_category, gmv_usd, item_qty
FROM (
  SELECT
    country, date_trunc('month', grass_date)::DATE AS month, item_id, any_value(item_name) AS item_name, any_value(level1_category) AS level1_category,
    sum(gmv_usd)::DECIMAL(18, 2) AS gmv_usd, sum(quantity)::BIGINT AS item_qty,
    row_number() OVER (PARTITION BY country, date_trunc('month', grass_date) ORDER BY sum(gmv_usd) DESC, item_id) AS rank_no
  FROM work.order_item GROUP BY country, date_trunc('month', grass_date), item_id)
WHERE rank_no <= 50;

CREATE TABLE work.seller_performance_1m AS
SELECT
  country, month, seller_id, order_cnt, cancelled_order_cnt,
  round(cancelled_order_cnt / order_cnt, 4)::DOUBLE AS cancellation_rate,
  gmv_usd,
  CASE WHEN u('rated', key2(seller_id, epoch(month))) < 0.9 THEN round(3.6 + 1.4 * u('rating', key2(seller_id, epoch(month))), 2) END::DECIMAL(4, 2) AS rating,
  floor(power(u('penalty', key2(seller_id, epoch(month))), 6) * 12)::INTEGER AS penalty_points
FROM (
  SELECT country, date_trunc('month', grass_date)::DATE AS month, seller_id, sum(order_cnt)::BIGINT AS order_cnt, sum(cancelled_order_cnt)::BIGINT AS cancelled_order_cnt, sum(gmv_usd)::DECIMAL(18, 2) AS gmv_usd
  FROM work.seller_gmv_1d GROUP BY country, date_trunc('month', grass_date), seller_id);
