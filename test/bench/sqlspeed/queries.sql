select orderstatus, count(*) as n from orders group by orderstatus;
select * from orders where orderdate >= date '1995-01-01' and orderdate < date '1995-02-01' limit 10;
select date_trunc('month', orderdate) as m, sum(totalprice) as total from orders group by 1 order by 1;
select c.name, sum(o.totalprice) as spent from customer c join orders o on o.custkey = c.custkey group by c.name order by spent desc limit 5;
select count(distinct custkey) from orders where orderpriority in ('1-URGENT', '2-HIGH');
select n.name, r.name as region from nation n join region r on r.regionkey = n.regionkey where r.name like 'A%' order by 1;
select orderkey, row_number() over (partition by custkey order by orderdate desc) as rn from orders;
select mktsegment, avg(acctbal) as a, max(acctbal) as b, min(acctbal) as c from customer group by mktsegment having count(*) > 100;
select case when quantity < 10 then 'small' when quantity < 30 then 'medium' else 'large' end as bucket, count(*) from lineitem group by 1;
select if(acctbal > 0, 'credit', 'debit') as side, count_if(mktsegment = 'BUILDING') as building from customer group by 1;
select cast(totalprice as decimal(12,2)) / 2 as half, try_cast(clerk as integer) as c from orders limit 3;
select shipmode, sum(extendedprice * (1 - discount)) as revenue from lineitem where shipdate between date '1994-01-01' and date '1994-12-31' group by shipmode;
select custkey from customer where custkey not in (select custkey from orders where custkey is not null);
select name from customer c where exists (select 1 from orders o where o.custkey = c.custkey and o.totalprice > 400000);
select p.brand, p.type, count(*) as n from part p where p.size between 1 and 15 group by rollup (p.brand, p.type);
select element_at(split(name, '#'), 2) as number, length(comment) as l from customer where regexp_like(comment, 'special|express');
select max_by(name, custkey) as newest, min_by(name, custkey) as oldest from customer;
select orderdate + interval '7' day as due, date_diff('day', orderdate, date '1998-12-31') as age from orders where orderstatus = 'O';
select x, y from (values (1, 'a'), (2, 'b'), (3, 'c')) as t(x, y) cross join unnest(array[10, 20]) as u(z) where z > 10;
select transform(array[1, 2, 3], v -> v * 2) as doubled, filter(array[1, 2, 3], v -> v > 1) as more, reduce(array[1, 2, 3], 0, (s, v) -> s + v, s -> s) as total;
select custkey, approx_distinct(orderkey) from orders group by custkey;
select date_format(orderdate, '%Y-%m') as month, count(*) from orders where year(orderdate) = 1996 group by date_format(orderdate, '%Y-%m') order by 1;
select coalesce(nullif(trim(comment), ''), 'none') as c, substr(phone, 1, 2) as prefix from supplier;
with big as (select orderkey, sum(quantity) as q from lineitem group by orderkey having sum(quantity) > 250) select o.orderkey, o.totalprice, b.q from orders o join big b on b.orderkey = o.orderkey order by 2 desc;
select orderkey from orders where totalprice > (select avg(totalprice) from orders) union all select orderkey from lineitem where discount = 0.1;
select returnflag, linestatus, sum(quantity) as sum_qty, sum(extendedprice) as sum_base, avg(discount) as avg_disc, count(*) as n
from lineitem
where shipdate <= date '1998-12-01' - interval '90' day
group by returnflag, linestatus
order by returnflag, linestatus;
with monthly as (
  select c.mktsegment, date_trunc('month', o.orderdate) as month, sum(o.totalprice) as total, count(*) as n
  from orders o
  join customer c on c.custkey = o.custkey
  where o.orderdate >= date '1996-01-01'
    and o.orderdate < date '1997-01-01'
    and o.orderstatus in ('F', 'O')
  group by c.mktsegment, date_trunc('month', o.orderdate)
),
ranked as (
  select mktsegment, month, total, n,
    lag(total) over (partition by mktsegment order by month) as previous,
    rank() over (partition by month order by total desc) as place
  from monthly
)
select mktsegment, month, total,
  round(100.0 * (total - previous) / nullif(previous, 0), 2) as growth
from ranked
where place <= 3
order by month, place
limit 100;
select n.name as nation, extract(year from o.orderdate) as y, sum(l.extendedprice * (1 - l.discount)) as amount
from part p
join lineitem l on l.partkey = p.partkey
join supplier s on s.suppkey = l.suppkey
join orders o on o.orderkey = l.orderkey
join nation n on n.nationkey = s.nationkey
where p.name like '%green%'
group by n.name, extract(year from o.orderdate)
order by nation, y desc;
select c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice, sum(l.quantity) as q
from customer c, orders o, lineitem l
where o.orderkey in (select orderkey from lineitem group by orderkey having sum(quantity) > 300)
  and c.custkey = o.custkey
  and o.orderkey = l.orderkey
group by c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice
order by o.totalprice desc, o.orderdate
limit 100;
select sum(case when p.type like 'PROMO%' then l.extendedprice * (1 - l.discount) else 0 end) * 100.0 / sum(l.extendedprice * (1 - l.discount)) as promo
from lineitem l join part p on l.partkey = p.partkey
where l.shipdate >= date '1995-09-01' and l.shipdate < date '1995-09-01' + interval '1' month;
