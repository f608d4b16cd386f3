package presto

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// distributionFunctions are those of probabilities, and of distances on the globe.
func distributionFunctions() []Function {
	return []Function{
		ternary("presto_normal_cdf", normalCDF),
		ternary("presto_inverse_normal_cdf", inverseNormalCDF),
		ternary("presto_beta_cdf", betaCDF),
		binary("presto_t_cdf", tCDF),
		binary("presto_t_pdf", tPDF),
		{Name: "presto_great_circle", Args: []Kind{Double, Double, Double, Double}, Result: Double, Call: func(a []any) (any, error) {
			return boxed(greatCircle(a[0].(float64), a[1].(float64), a[2].(float64), a[3].(float64)))
		}},
	}
}

func normalCDF(mean, deviation, x float64) (float64, error) {
	if !(deviation > 0) {
		return 0, invalid("the standard deviation must be over 0")
	}
	return 0.5 * math.Erfc(-(x-mean)/(deviation*math.Sqrt2)), nil
}

func inverseNormalCDF(mean, deviation, p float64) (float64, error) {
	switch {
	case !(p > 0 && p < 1):
		return 0, invalid("the probability must be between 0 and 1")
	case !(deviation > 0):
		return 0, invalid("the standard deviation must be over 0")
	}
	return mean + deviation*mathext.NormalQuantile(p), nil
}

func betaCDF(a, b, x float64) (float64, error) {
	switch {
	case !(a > 0) || !(b > 0):
		return 0, invalid("the parameters of a beta distribution must be over 0")
	case !(x >= 0 && x <= 1):
		return 0, invalid("the value must be from 0 to 1")
	}
	return incompleteBeta(a, b, x)
}

func tCDF(x, degrees float64) (float64, error) {
	if !(degrees > 0) {
		return 0, invalid("the degrees of freedom must be over 0")
	}
	beyond, err := incompleteBeta(degrees/2, 0.5, degrees/(degrees+x*x))
	if x < 0 {
		return beyond / 2, err
	}
	return 1 - beyond/2, err
}

// incompleteBeta refuses what it cannot be computed of.
func incompleteBeta(a, b, x float64) (float64, error) {
	if math.IsInf(a, 0) || math.IsInf(b, 0) || !(x >= 0 && x <= 1) {
		return 0, &Error{"NOT_SUPPORTED", "this distribution with such parameters is not supported on the embedded engine"}
	}
	return mathext.RegIncBeta(a, b, x), nil
}

func tPDF(x, degrees float64) (float64, error) {
	if !(degrees > 0) {
		return 0, invalid("the degrees of freedom must be over 0")
	}
	above, _ := math.Lgamma((degrees + 1) / 2)
	below, _ := math.Lgamma(degrees / 2)
	return math.Exp(above - 0.5*(math.Log(math.Pi)+math.Log(degrees)) - below - (degrees+1)/2*math.Log(1+x*x/degrees)), nil
}

// earthRadius is in kilometers, as Trino has it.
const earthRadius = 6371.01

// greatCircle is a distance in kilometers; degrees are given.
func greatCircle(latitude1, longitude1, latitude2, longitude2 float64) (float64, error) {
	for _, l := range []float64{latitude1, latitude2} {
		if !(l >= -90 && l <= 90) {
			return 0, invalid("a latitude must be from -90 to 90")
		}
	}
	for _, l := range []float64{longitude1, longitude2} {
		if !(l >= -180 && l <= 180) {
			return 0, invalid("a longitude must be from -180 to 180")
		}
	}
	radians := func(degrees float64) float64 { return degrees / 180 * math.Pi }
	sin1, cos1 := math.Sincos(radians(latitude1))
	sin2, cos2 := math.Sincos(radians(latitude2))
	sin, cos := math.Sincos(radians(longitude1) - radians(longitude2))
	across := math.Hypot(cos2*sin, cos1*sin2-sin1*cos2*cos)
	return math.Atan2(across, sin1*sin2+cos1*cos2*cos) * earthRadius, nil
}
