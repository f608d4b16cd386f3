package train

import "math"

// logistic is a logistic regression: the log odds of y are w[0] plus x times w[1:].
// A ridge holds the weights of standardised columns small; w[0] is free.
func logistic(x [][]float64, y []bool, ridge float64) []float64 {
	n := len(x[0]) + 1
	scale := deviations(x)
	w := make([]float64, n)
	row := make([]float64, n)
	row[0] = 1
	for range newtonSteps {
		gradient, hessian := make([]float64, n), make([][]float64, n)
		for i := range n {
			hessian[i] = make([]float64, n)
			if i > 0 {
				gradient[i], hessian[i][i] = ridge*w[i], ridge
			}
			hessian[i][i] += tiny
		}
		for k := range x {
			z := w[0]
			for i, v := range x[k] {
				row[i+1] = v / scale[i]
				z += w[i+1] * row[i+1]
			}
			p := 1 / (1 + math.Exp(-z))
			off := p
			if y[k] {
				off--
			}
			for i := range n {
				gradient[i] += off * row[i]
				for j := range n {
					hessian[i][j] += p * (1 - p) * row[i] * row[j]
				}
			}
		}
		for i, step := range solve(hessian, gradient) {
			w[i] -= step
		}
	}
	for i := range scale {
		w[i+1] /= scale[i]
	}
	return w
}

const (
	newtonSteps = 30
	tiny        = 1e-6 // keeps the system solvable where a column never changes
)

// deviations are the standard deviations of columns; 1 of one that never changes.
func deviations(x [][]float64) []float64 {
	out := make([]float64, len(x[0]))
	for i := range out {
		sum, squares := 0.0, 0.0
		for _, row := range x {
			sum += row[i]
			squares += row[i] * row[i]
		}
		mean := sum / float64(len(x))
		out[i] = math.Sqrt(max(0, squares/float64(len(x))-mean*mean))
		if out[i] < tiny {
			out[i] = 1
		}
	}
	return out
}

// solve returns the x of ax = b by elimination with pivots; a and b are used up.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		pivot := i
		for k := i + 1; k < n; k++ {
			if math.Abs(a[k][i]) > math.Abs(a[pivot][i]) {
				pivot = k
			}
		}
		a[i], a[pivot], b[i], b[pivot] = a[pivot], a[i], b[pivot], b[i]
		for k := i + 1; k < n; k++ {
			by := a[k][i] / a[i][i]
			for j := i; j < n; j++ {
				a[k][j] -= by * a[i][j]
			}
			b[k] -= by * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			b[i] -= a[i][j] * b[j]
		}
		b[i] /= a[i][i]
	}
	return b
}
