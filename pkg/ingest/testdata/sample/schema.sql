-- A small shop, to try out `dibrain ingest csv`.
CREATE TABLE customer (
    id         INTEGER PRIMARY KEY,
    name       VARCHAR(80) NOT NULL,
    city       VARCHAR(80), -- where the customer lives
    email      VARCHAR(80),
    joined_on  DATE NOT NULL
);

CREATE TABLE purchase (
    id           INTEGER PRIMARY KEY,
    customer_id  INTEGER NOT NULL REFERENCES customer (id),
    product      VARCHAR(40) NOT NULL,
    amount       DECIMAL(10, 2) NOT NULL, -- in euros, tax included
    bought_at    TIMESTAMP NOT NULL
);
