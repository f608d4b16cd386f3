// Package trino is the engine of sources that are on a Trino server. Approved
// statements run as they are, but for the names of regions, under the name of
// whoever asks.
package trino
