package explain

import "math"

// productError is how far, relative to the metric, the product of its factors may be
// from it: engines round averages.
const productError = 1e-6

// splitFactors splits the change of a product, or of a ratio, by logarithmic mean weights
// (the additive form of LMDI I: Ang, Energy Policy 32, 2004): a factor accounts for
// L(after, before) * ln(its growth), L the logarithmic mean of the metric. The parts add
// up to the change with no rest, whichever factor comes first.
func splitFactors(in *Input) ([]Part, *Refusal) {
	metric, factors := in.Total.Value, in.Factors
	if in.Kind == Ratio {
		metric = quotients(in.Total)
		factors = []Factor{{ID: PartValue, Pair: in.Total.Value}, {ID: PartBase, Pair: in.Total.Base}}
	}
	if len(factors) == 0 {
		return nil, nil
	}
	for _, f := range factors {
		switch least := min(f.Before, f.After); {
		case least < 0:
			return nil, &Refusal{ByFactors, ReasonNegative, f.ID}
		case least == 0:
			return nil, &Refusal{ByFactors, ReasonZero, f.ID}
		}
	}
	mean := logMean(metric)
	parts := make([]Part, len(factors))
	sum, product, largest := 0.0, Pair{1, 1}, 0
	for i, f := range factors {
		growth := math.Log(f.After / f.Before)
		if in.Kind == Ratio && f.ID == PartBase {
			growth = -growth
			product = Pair{product.Before / f.Before, product.After / f.After}
		} else {
			product = Pair{product.Before * f.Before, product.After * f.After}
		}
		parts[i] = Part{ID: f.ID, Pair: f.Pair, Accounts: mean * growth}
		sum += parts[i].Accounts
		if math.Abs(parts[i].Accounts) > math.Abs(parts[largest].Accounts) {
			largest = i
		}
	}
	if differ(product.Before, metric.Before) || differ(product.After, metric.After) {
		return nil, &Refusal{Split: ByFactors, Reason: ReasonProduct}
	}
	// What rounding of doubles and of the engine's averages leaves goes where it matters least.
	parts[largest].Accounts += metric.Change() - sum
	if metric.Change() != 0 {
		for i := range parts {
			parts[i].Share = parts[i].Accounts / metric.Change()
		}
	}
	return parts, nil
}

func differ(a, b float64) bool { return math.Abs(a-b) > productError*max(math.Abs(a), math.Abs(b)) }

// logMean is the logarithmic mean (a-b)/ln(a/b) of two positive numbers; of equal ones it
// is their value.
func logMean(p Pair) float64 {
	x := math.Log(p.After / p.Before)
	if math.Abs(x) < 1e-8 {
		return math.Sqrt(p.Before * p.After)
	}
	return p.Before * math.Expm1(x) / x
}

// quotients of an amount of a ratio: 0 where there is no base.
func quotients(a Amount) Pair {
	return Pair{quotient(a.Value.Before, a.Base.Before), quotient(a.Value.After, a.Base.After)}
}

func quotient(value, base float64) float64 {
	if base == 0 {
		return 0
	}
	return value / base
}
