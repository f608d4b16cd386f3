-- What Presto does and DuckDB does not in one call. The engine makes these when it
-- opens; transpiled SQL calls them by name. One macro a line.
CREATE OR REPLACE MACRO presto_zero(d) AS CASE WHEN d = 0 THEN error('PRESTO DIVISION_BY_ZERO: division by zero: guard the divisor with nullif(x, 0)') ELSE d END;
-- The characters that Java calls white space.
CREATE OR REPLACE MACRO presto_space() AS chr(32) || chr(9) || chr(10) || chr(11) || chr(12) || chr(13) || chr(28) || chr(29) || chr(30) || chr(31) || chr(5760) || chr(8192) || chr(8193) || chr(8194) || chr(8195) || chr(8196) || chr(8197) || chr(8198) || chr(8200) || chr(8201) || chr(8202) || chr(8232) || chr(8233) || chr(8287) || chr(12288);
CREATE OR REPLACE MACRO presto_trim(s) AS trim(s, presto_space());
CREATE OR REPLACE MACRO presto_ltrim(s) AS ltrim(s, presto_space());
CREATE OR REPLACE MACRO presto_rtrim(s) AS rtrim(s, presto_space());
CREATE OR REPLACE MACRO presto_substr(s, f) AS CASE WHEN f = 0 OR abs(f) > length(s) THEN CASE WHEN s IS NULL OR f IS NULL THEN NULL ELSE '' END ELSE substring(s, f) END;
CREATE OR REPLACE MACRO presto_substr_count(s, f, n) AS CASE WHEN f = 0 OR abs(f) > length(s) OR n <= 0 THEN CASE WHEN s IS NULL OR f IS NULL OR n IS NULL THEN NULL ELSE '' END ELSE substring(s, f, n) END;
CREATE OR REPLACE MACRO presto_split_part(s, d, n) AS CASE WHEN n < 1 THEN error('PRESTO INVALID_FUNCTION_ARGUMENT: split_part counts from 1') WHEN n > len(string_split(s, d)) THEN NULL ELSE split_part(s, d, n) END;
CREATE OR REPLACE MACRO presto_sqrt(x) AS CASE WHEN x < 0 THEN CAST('NaN' AS DOUBLE) ELSE sqrt(x) END;
CREATE OR REPLACE MACRO presto_ln(x) AS CASE WHEN x < 0 THEN CAST('NaN' AS DOUBLE) WHEN x = 0 THEN CAST('-Infinity' AS DOUBLE) ELSE ln(x) END;
CREATE OR REPLACE MACRO presto_log10(x) AS CASE WHEN x < 0 THEN CAST('NaN' AS DOUBLE) WHEN x = 0 THEN CAST('-Infinity' AS DOUBLE) ELSE log10(x) END;
CREATE OR REPLACE MACRO presto_months(a, b) AS CASE WHEN b >= a THEN date_diff('month', a, b) - CASE WHEN a + to_months(CAST(date_diff('month', a, b) AS INTEGER)) > b THEN 1 ELSE 0 END ELSE date_diff('month', a, b) + CASE WHEN b + to_months(CAST(date_diff('month', b, a) AS INTEGER)) > a THEN 1 ELSE 0 END END;
CREATE OR REPLACE MACRO presto_round_div(n, d) AS CASE WHEN (n < 0) <> (d < 0) THEN -((2 * abs(n) + abs(d)) // (2 * abs(d))) ELSE (2 * abs(n) + abs(d)) // (2 * abs(d)) END;
CREATE OR REPLACE MACRO presto_scaled(h, s) AS CASE WHEN h < 0 THEN '-' ELSE '' END || CAST(abs(h) // CAST(power(10, s) AS HUGEINT) AS VARCHAR) || '.' || lpad(CAST(abs(h) % CAST(power(10, s) AS HUGEINT) AS VARCHAR), CAST(s AS INTEGER), '0');
CREATE OR REPLACE MACRO presto_pad_size(n) AS CASE WHEN n < 0 OR n > @MaxPadding THEN error('PRESTO INVALID_FUNCTION_ARGUMENT: the length of lpad and rpad must be from 0 to @MaxPadding') ELSE CAST(n AS INTEGER) END;
CREATE OR REPLACE MACRO presto_replace(s, f, w) AS CASE WHEN strlen(s) + ((strlen(s) - strlen(replace(s, f, ''))) // strlen(f)) * strlen(w) > @MaxText THEN error('PRESTO INVALID_FUNCTION_ARGUMENT: replace would give a text of more than @MaxText bytes') ELSE replace(s, f, w) END;
CREATE OR REPLACE MACRO presto_integer_text(s) AS CASE WHEN regexp_full_match(s, '[+-]?[0-9]+') THEN s ELSE error('PRESTO INVALID_CAST_ARGUMENT: cannot cast ''' || left(s, 100) || ''' to an integer') END;
CREATE OR REPLACE MACRO presto_integer_text_try(s) AS CASE WHEN regexp_full_match(s, '[+-]?[0-9]+') THEN s END;
CREATE OR REPLACE MACRO presto_number_text(s) AS CASE WHEN regexp_full_match(s, '\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*|[+-]?Infinity|NaN') THEN s ELSE error('PRESTO INVALID_CAST_ARGUMENT: cannot cast ''' || left(s, 100) || ''' to a number') END;
CREATE OR REPLACE MACRO presto_number_text_try(s) AS CASE WHEN regexp_full_match(s, '\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*|[+-]?Infinity|NaN') THEN s END;
CREATE OR REPLACE MACRO presto_date_text(s) AS CASE WHEN regexp_full_match(s, '\s*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\s*') THEN trim(s) ELSE error('PRESTO INVALID_CAST_ARGUMENT: cannot cast ''' || left(s, 100) || ''' to a date') END;
CREATE OR REPLACE MACRO presto_date_text_try(s) AS CASE WHEN regexp_full_match(s, '\s*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\s*') THEN trim(s) END;
CREATE OR REPLACE MACRO presto_timestamp_text(s) AS CASE WHEN regexp_full_match(s, '\s*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}( [0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?)?\s*') THEN CASE WHEN regexp_full_match(trim(s), '.* [0-9]{1,2}:[0-9]{2}') THEN trim(s) || ':00' ELSE trim(s) END ELSE error('PRESTO INVALID_CAST_ARGUMENT: cannot cast ''' || left(s, 100) || ''' to a timestamp') END;
CREATE OR REPLACE MACRO presto_timestamp_text_try(s) AS CASE WHEN regexp_full_match(s, '\s*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}( [0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?)?\s*') THEN CASE WHEN regexp_full_match(trim(s), '.* [0-9]{1,2}:[0-9]{2}') THEN trim(s) || ':00' ELSE trim(s) END END;
CREATE OR REPLACE MACRO presto_boolean_text(s) AS CASE lower(s) WHEN 't' THEN true WHEN 'true' THEN true WHEN '1' THEN true WHEN 'f' THEN false WHEN 'false' THEN false WHEN '0' THEN false ELSE error('PRESTO INVALID_CAST_ARGUMENT: cannot cast ''' || left(s, 100) || ''' to a boolean') END;
CREATE OR REPLACE MACRO presto_boolean_text_try(s) AS CASE lower(s) WHEN 't' THEN true WHEN 'true' THEN true WHEN '1' THEN true WHEN 'f' THEN false WHEN 'false' THEN false WHEN '0' THEN false END;
CREATE OR REPLACE MACRO presto_json_scalar(j, p) AS CASE WHEN json_valid(j) THEN CASE WHEN json_type(j, p) IN ('OBJECT', 'ARRAY', 'NULL') THEN NULL ELSE json_extract_string(j, p) END END;
