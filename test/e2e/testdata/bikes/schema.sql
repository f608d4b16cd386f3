-- A bike-rental shop, made for the tests of DI-Brain.
CREATE TABLE stations (
    station_id INT PRIMARY KEY,
    name TEXT,
    district TEXT,
    docks INT
);

CREATE TABLE members (
    member_id INT PRIMARY KEY,
    full_name TEXT,
    plan TEXT,
    joined_on DATE
);

CREATE TABLE rentals (
    rental_id INT PRIMARY KEY,
    member_id INT,
    station_id INT,
    rented_on DATE,
    minutes INT,
    fee REAL,
    FOREIGN KEY (member_id) REFERENCES members (member_id),
    FOREIGN KEY (station_id) REFERENCES stations (station_id)
);
