-- What Presto does and DuckDB does not in one call. The engine makes these when a
-- statement calls them, beside the functions of pkg/sql/presto. Names begin with presto_.
-- One macro a line.
-- A failure that stands for a value of any type. DuckDB's own error() is volatile,
-- which TRY refuses.
CREATE OR REPLACE MACRO presto_error(m) AS list_extract([NULL], presto_fail(m));
CREATE OR REPLACE MACRO presto_zero(d) AS CASE WHEN d = 0 THEN presto_error('PRESTO DIVISION_BY_ZERO: division by zero: guard the divisor with nullif(x, 0)') ELSE d END;
CREATE OR REPLACE MACRO presto_mod_zero(d) AS CASE WHEN d = 0 THEN presto_error('PRESTO GENERIC_INTERNAL_ERROR: mod by zero: guard the divisor with nullif(x, 0)') ELSE d END;
CREATE OR REPLACE MACRO presto_abs(n) AS CASE WHEN n < 0 THEN 0 - n ELSE n END;
-- The characters that Java calls white space.
CREATE OR REPLACE MACRO presto_space() AS chr(32) || chr(9) || chr(10) || chr(11) || chr(12) || chr(13) || chr(28) || chr(29) || chr(30) || chr(31) || chr(5760) || chr(8192) || chr(8193) || chr(8194) || chr(8195) || chr(8196) || chr(8197) || chr(8198) || chr(8200) || chr(8201) || chr(8202) || chr(8232) || chr(8233) || chr(8287) || chr(12288);
CREATE OR REPLACE MACRO presto_trim(s) AS presto_trim_chars(s, presto_space());
CREATE OR REPLACE MACRO presto_ltrim(s) AS presto_ltrim_chars(s, presto_space());
CREATE OR REPLACE MACRO presto_rtrim(s) AS presto_rtrim_chars(s, presto_space());
CREATE OR REPLACE MACRO presto_substr(s, f) AS CASE WHEN f = 0 OR abs(f) > length(s) THEN CASE WHEN s IS NULL OR f IS NULL THEN NULL ELSE '' END ELSE substring(s, f) END;
CREATE OR REPLACE MACRO presto_substr_count(s, f, n) AS CASE WHEN f = 0 OR abs(f) > length(s) OR n <= 0 THEN CASE WHEN s IS NULL OR f IS NULL OR n IS NULL THEN NULL ELSE '' END ELSE substring(s, f, n) END;
CREATE OR REPLACE MACRO presto_months(a, b) AS CASE WHEN b >= a THEN date_diff('month', a, b) - CASE WHEN a + to_months(CAST(date_diff('month', a, b) AS INTEGER)) > b THEN 1 ELSE 0 END ELSE date_diff('month', a, b) + CASE WHEN b + to_months(CAST(date_diff('month', b, a) AS INTEGER)) > a THEN 1 ELSE 0 END END;
-- Milliseconds since 1970, rounded down: // rounds towards zero.
CREATE OR REPLACE MACRO presto_epoch_ms(t) AS (epoch_us(t) - ((epoch_us(t) % 1000) + 1000) % 1000) // 1000;
CREATE OR REPLACE MACRO presto_pad_size(n) AS CASE WHEN n < 0 OR n > @MaxPadding THEN presto_error('PRESTO INVALID_FUNCTION_ARGUMENT: the length of lpad and rpad must be from 0 to @MaxPadding') ELSE CAST(n AS INTEGER) END;
CREATE OR REPLACE MACRO presto_replace(s, f, w) AS CASE WHEN strlen(s) + ((strlen(s) - strlen(replace(s, f, ''))) // strlen(f)) * strlen(w) > @MaxText THEN presto_error('PRESTO INVALID_FUNCTION_ARGUMENT: replace would give a text of more than @MaxText bytes') ELSE replace(s, f, w) END;
CREATE OR REPLACE MACRO presto_bytes_concat(a, b) AS a || b;
-- Intervals: of days to seconds in milliseconds, of years to months in months.
CREATE OR REPLACE MACRO presto_millis(i) AS CAST(epoch_ms(i) AS BIGINT);
CREATE OR REPLACE MACRO presto_interval_months(i) AS CAST(date_part('year', i) * 12 + date_part('month', i) AS BIGINT);
-- Before 1970 Trino takes a second off times with a fraction: not followed, refused.
CREATE OR REPLACE MACRO presto_clock(t) AS CASE WHEN epoch_us(t) < 0 AND epoch_us(t) % 1000000 <> 0 THEN presto_error('PRESTO NOT_SUPPORTED: the time of a timestamp before 1970 with a fraction of a second is not supported on the embedded engine') ELSE CAST(t AS TIME) END;
-- Timestamps with a zone: the instant in UTC, and the zone's name.
CREATE OR REPLACE MACRO presto_tz(t, z) AS CASE WHEN t IS NULL OR z IS NULL THEN NULL ELSE {'t': t, 'z': z} END;
CREATE OR REPLACE MACRO presto_local(v) AS presto_zone_local(struct_extract(v, 't'), struct_extract(v, 'z'));
CREATE OR REPLACE MACRO presto_tz_text(v, p) AS presto_instant_text(struct_extract(v, 't'), struct_extract(v, 'z'), p);
CREATE OR REPLACE MACRO presto_tz_iso(v, p) AS presto_iso_instant(struct_extract(v, 't'), struct_extract(v, 'z'), p);
CREATE OR REPLACE MACRO presto_text_tz(s, p) AS CASE WHEN s IS NULL THEN NULL ELSE {'t': presto_text_instant(s, p), 'z': presto_text_instant_zone(s)} END;
CREATE OR REPLACE MACRO presto_text_iso(s) AS CASE WHEN s IS NULL THEN NULL ELSE {'t': presto_text_iso_instant(s), 'z': presto_text_iso_zone(s)} END;
CREATE OR REPLACE MACRO presto_round_tz(v, p) AS CASE WHEN v IS NULL THEN NULL ELSE {'t': presto_round_timestamp(struct_extract(v, 't'), p), 'z': struct_extract(v, 'z')} END;
CREATE OR REPLACE MACRO presto_with_zone(t, z) AS CASE WHEN t IS NULL OR z IS NULL THEN NULL ELSE {'t': presto_zone_instant(t, presto_zone(z)), 'z': presto_zone(z)} END;
CREATE OR REPLACE MACRO presto_offset(v) AS presto_zone_offset(struct_extract(v, 't'), struct_extract(v, 'z'));
CREATE OR REPLACE MACRO presto_interval_zone(i) AS presto_offset_zone(0, presto_millis(i) // 60000);
CREATE OR REPLACE MACRO presto_shift_instant(v, ms) AS CASE WHEN v IS NULL OR ms IS NULL THEN NULL ELSE {'t': struct_extract(v, 't') + to_microseconds(1000 * ms), 'z': struct_extract(v, 'z')} END;
CREATE OR REPLACE MACRO presto_shift_local(v, m) AS CASE WHEN v IS NULL OR m IS NULL THEN NULL ELSE {'t': presto_zone_instant(presto_local(v) + to_months(CAST(m AS INTEGER)), struct_extract(v, 'z')), 'z': struct_extract(v, 'z')} END;
-- Arithmetic of intervals.
CREATE OR REPLACE MACRO presto_between(a, b) AS to_microseconds((epoch_us(a) - epoch_us(b)) // 1000 * 1000);
CREATE OR REPLACE MACRO presto_shift_date(d, ms) AS CASE WHEN ms % 86400000 <> 0 THEN presto_error('PRESTO INVALID_FUNCTION_ARGUMENT: cannot add hours, minutes or seconds to a date') ELSE CAST(d + to_days(CAST(ms // 86400000 AS INTEGER)) AS DATE) END;
CREATE OR REPLACE MACRO presto_times_millis(i, x) AS to_microseconds(1000 * CAST(trunc(presto_millis(i) * x) AS BIGINT));
CREATE OR REPLACE MACRO presto_times_whole_millis(i, n) AS to_microseconds(1000 * (presto_millis(i) * n));
CREATE OR REPLACE MACRO presto_over_millis(i, x) AS to_microseconds(1000 * CAST(trunc(presto_millis(i) / x) AS BIGINT));
CREATE OR REPLACE MACRO presto_over_whole_millis(i, n) AS to_microseconds(1000 * (presto_millis(i) // presto_zero(n)));
CREATE OR REPLACE MACRO presto_times_months(i, x) AS to_months(CAST(trunc(presto_interval_months(i) * x) AS INTEGER));
CREATE OR REPLACE MACRO presto_times_whole_months(i, n) AS to_months(CAST(presto_interval_months(i) * n AS INTEGER));
CREATE OR REPLACE MACRO presto_over_months(i, x) AS to_months(CAST(trunc(presto_interval_months(i) / x) AS INTEGER));
CREATE OR REPLACE MACRO presto_over_whole_months(i, n) AS to_months(CAST(presto_interval_months(i) // presto_zero(n) AS INTEGER));
-- NaN is neither the greatest nor the least; it is what remains where there is no other.
CREATE OR REPLACE MACRO presto_greatest(l) AS coalesce(list_max(list_filter(l, lambda presto_x: NOT isnan(presto_x))), CAST('NaN' AS DOUBLE));
CREATE OR REPLACE MACRO presto_least(l) AS coalesce(list_min(list_filter(l, lambda presto_x: NOT isnan(presto_x))), CAST('NaN' AS DOUBLE));
-- Comparisons of doubles, of which NaN is neither equal to, less nor more than any.
CREATE OR REPLACE MACRO presto_double_eq(a, b) AS CASE WHEN isnan(a) AND isnan(b) THEN false ELSE a = b END;
CREATE OR REPLACE MACRO presto_double_ne(a, b) AS CASE WHEN isnan(a) AND isnan(b) THEN true ELSE a <> b END;
CREATE OR REPLACE MACRO presto_double_lt(a, b) AS CASE WHEN isnan(b) AND a IS NOT NULL THEN false ELSE a < b END;
CREATE OR REPLACE MACRO presto_double_le(a, b) AS CASE WHEN isnan(b) AND a IS NOT NULL THEN false ELSE a <= b END;
CREATE OR REPLACE MACRO presto_width(x, l) AS CAST(len(list_filter(l, lambda presto_x: presto_x <= x)) AS BIGINT);
