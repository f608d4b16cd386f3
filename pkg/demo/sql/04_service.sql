-- Parcels, tickets and the chatbot: what happens after the order.

CREATE TABLE work.hub AS
SELECT country, country_no * 100 + hub_no + 1 AS hub_id, hub_no, hubs[hub_no + 1] AS hub_name, 2000 + floor(u('capacity', country_no * 100 + hub_no) * 18)::INTEGER * 500 AS daily_capacity
FROM (SELECT *, unnest(range(hub_n)) AS hub_no FROM work.country);

-- Parcels that SPX ships; 15 % of the orders go with other carriers.
CREATE TABLE work.parcel AS
SELECT
  o.country, (o.grass_date + o.ship_days)::DATE AS grass_date,
  o.order_id * 10 + 1 AS parcel_id, o.order_id, o.grass_date AS order_date, h.hub_id, h.hub_name,
  CASE WHEN o.order_status = 'SHIPPED' THEN 'IN_TRANSIT' ELSE 'DELIVERED' END AS parcel_status,
  (o.grass_date + o.ship_days + o.sla_days)::DATE AS promised_date,
  CASE WHEN o.order_status <> 'SHIPPED' THEN (o.grass_date + o.ship_days + o.delivery_days)::DATE END AS delivered_date,
  CASE WHEN o.order_status <> 'SHIPPED' THEN o.delivery_days END::INTEGER AS delivery_days,
  CASE WHEN o.order_status <> 'SHIPPED' THEN o.delivery_days <= o.sla_days END AS is_on_time,
  CASE WHEN u('weighed', o.order_id) < 0.97 THEN round(0.1 + 6 * power(u('weight', o.order_id), 2), 2) END::DECIMAL(8, 2) AS weight_kg,
  round(0.6 + 0.15 * o.sla_days + 2.5 * u('weight', o.order_id), 2)::DECIMAL(10, 2) AS shipping_fee_usd
FROM work.orders o JOIN work.hub h ON h.country = o.country AND h.hub_no = o.hub_no
WHERE o.is_spx AND o.order_status IN ('SHIPPED', 'COMPLETED', 'RETURNED');

-- Shipped parcels count on the day of shipping, delivered ones on the day of delivery.
CREATE TABLE work.delivery_1d AS
SELECT
  country, grass_date, hub_id, hub_name,
  sum(shipped)::BIGINT AS shipped_parcel_cnt, sum(delivered)::BIGINT AS delivered_parcel_cnt,
  sum(on_time)::BIGINT AS on_time_parcel_cnt, sum(days)::BIGINT AS delivery_days_sum
FROM (
  SELECT country, grass_date, hub_id, hub_name, 1 AS shipped, 0 AS delivered, 0 AS on_time, 0 AS days FROM work.parcel
  UNION ALL
  SELECT country, delivered_date, hub_id, hub_name, 0, 1, is_on_time::INTEGER, delivery_days FROM work.parcel WHERE delivered_date IS NOT NULL)
GROUP BY ALL;

CREATE TABLE work.ticket AS
WITH asked AS (
  SELECT
    *,
    in_window(ago, getvariable('drop_first_ago'), getvariable('drop_last_ago')) AND country_no = getvariable('drop_country_no') AS in_drop,
    order_id * 10 + 5 AS ticket_id
  FROM work.orders
), drawn AS (
  SELECT *,
    CASE WHEN in_drop AND u('drop ticket', ticket_id) < 0.5 THEN 'PAYMENT'
      ELSE pick(['DELIVERY', 'DELIVERY', 'DELIVERY', 'REFUND', 'REFUND', 'PRODUCT', 'PRODUCT', 'PAYMENT', 'ACCOUNT', 'VOUCHER'], u('category', ticket_id)) END AS issue_category,
    power(u('response', ticket_id), 2.5) * 240 AS response_minutes
  FROM asked WHERE u('ticket', ticket_id) < CASE WHEN in_drop THEN 0.24 ELSE 0.10 END
)
SELECT
  country, grass_date, ticket_id, buyer_id,
  CASE WHEN issue_category NOT IN ('ACCOUNT', 'VOUCHER') THEN order_id END AS order_id,
  issue_category,
  pick(['LIVE_CHAT', 'LIVE_CHAT', 'LIVE_CHAT', 'EMAIL', 'PHONE'], u('channel', ticket_id)) AS channel,
  'agent_' || lpad((1 + floor(u('agent', ticket_id) * 60)::INTEGER)::VARCHAR, 3, '0') AS agent_id,
  create_time + INTERVAL 30 MINUTE AS create_time,
  round(1 + response_minutes, 1)::DECIMAL(8, 1) AS first_response_minutes,
  CASE WHEN ago = 0 AND u('open', ticket_id) < 0.6 THEN 'OPEN' WHEN u('open', ticket_id) < 0.02 THEN 'OPEN' ELSE 'RESOLVED' END AS ticket_status,
  CASE WHEN u('rated', ticket_id) < 0.4 THEN least(5, greatest(1, round(5.3 - response_minutes / 60 - 2 * power(u('mood', ticket_id), 2))))::INTEGER END AS csat_score
FROM drawn;

CREATE TABLE work.ticket_1d AS
SELECT
  country, grass_date, issue_category,
  count(*) AS ticket_cnt,
  count(*) FILTER (ticket_status = 'RESOLVED') AS resolved_ticket_cnt,
  sum(first_response_minutes)::DECIMAL(18, 1) AS first_response_minutes_sum,
  coalesce(sum(csat_score), 0)::BIGINT AS csat_score_sum,
  count(csat_score) AS csat_rated_cnt
FROM work.ticket
WHERE grass_date <= getvariable('yesterday') - getvariable('late_days')::INTEGER
GROUP BY country, grass_date, issue_category;

CREATE TABLE work.chatbot_session AS
WITH numbered AS (
  SELECT country, country_no, grass_date, ago, eligible_users, dc_key * 100000 + n AS session_id
  FROM (SELECT *, unnest(range(greatest(1, round(visitor_n * 0.012))::BIGINT)) AS n FROM work.day_country)
), drawn AS (
  SELECT *,
    pick(['WHERE_IS_MY_ORDER', 'WHERE_IS_MY_ORDER', 'RETURN_REFUND', 'VOUCHER', 'PAYMENT', 'ACCOUNT', 'OTHER'], u('intent', session_id)) AS intent,
    CASE WHEN ago <= getvariable('bot_first_ago') THEN 'v3' ELSE 'v2' END AS bot_version
  FROM numbered
), solved AS (
  SELECT *, u('resolved', session_id) < 0.58 + CASE bot_version WHEN 'v3' THEN getvariable('bot_gain') ELSE 0 END - CASE intent WHEN 'OTHER' THEN 0.25 WHEN 'PAYMENT' THEN 0.10 ELSE 0 END AS is_resolved
  FROM drawn
)
SELECT
  country, grass_date, session_id, intent, bot_version, is_resolved,
  CASE WHEN u('guest', session_id) < 0.85 THEN (country_no + 1) * 10000000 + floor(u('user', session_id) * eligible_users)::BIGINT + 1 END AS user_id,
  NOT is_resolved AND u('transfer', session_id) < 0.7 AS is_transferred,
  2 + floor(power(u('messages', session_id), 2) * 18)::INTEGER AS message_cnt,
  CASE WHEN u('rated', session_id) < 0.2 THEN CASE WHEN is_resolved THEN 4 ELSE 2 END + round(u('stars', session_id))::INTEGER END AS csat_score
FROM solved;

CREATE TABLE work.chatbot_1d AS
SELECT
  country, grass_date, intent, bot_version,
  count(*) AS session_cnt, count(*) FILTER (is_resolved) AS resolved_session_cnt, count(*) FILTER (is_transferred) AS transferred_session_cnt,
  sum(message_cnt)::BIGINT AS message_cnt
FROM work.chatbot_session GROUP BY ALL;
