/** Logistic regression by Newton's method: a few features, some thousand rows. */

export interface Example {
  readonly features: readonly number[]
  readonly positive: boolean
  readonly weight: number
}

export interface LogisticModel {
  readonly bias: number
  readonly slopes: readonly number[]
}

/** Keeps the slopes finite if the classes are perfectly separable. */
const ridge = 1e-3
const steps = 50

export function fitLogistic(examples: readonly Example[]): LogisticModel {
  const size = (examples[0]?.features.length ?? 0) + 1
  let coefficients = new Array<number>(size).fill(0)
  for (let step = 0; step < steps; step++) {
    const gradient = coefficients.map((value, index) => (index === 0 ? 0 : -ridge * value))
    const curvature = coefficients.map((_, row) =>
      coefficients.map((_, column): number => (row === column ? (row === 0 ? 1e-9 : ridge) : 0)),
    )
    for (const { features, positive, weight } of examples) {
      const inputs = [1, ...features]
      const chance = sigmoid(inputs.reduce((sum, input, index) => sum + input * (coefficients[index] ?? 0), 0))
      for (const [row, input] of inputs.entries()) {
        gradient[row] = (gradient[row] ?? 0) + weight * ((positive ? 1 : 0) - chance) * input
        const curve = curvature[row] ?? []
        for (const [column, other] of inputs.entries())
          curve[column] = (curve[column] ?? 0) + weight * chance * (1 - chance) * input * other
      }
    }
    const change = solve(curvature, gradient)
    coefficients = coefficients.map((value, index) => value + (change[index] ?? 0))
    if (change.every((value) => Math.abs(value) < 1e-9)) break
  }
  const [bias = 0, ...slopes] = coefficients
  return { bias, slopes }
}

export function chanceOf({ bias, slopes }: LogisticModel, features: readonly number[]): number {
  return sigmoid(slopes.reduce((sum, slope, index) => sum + slope * (features[index] ?? 0), bias))
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value))
}

/** Gaussian elimination; the matrix is symmetric and positive. */
function solve(matrix: readonly (readonly number[])[], vector: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, vector[index] ?? 0])
  for (const [place, pivot] of rows.entries()) {
    for (const row of rows.slice(place + 1)) {
      const factor = (row[place] ?? 0) / (pivot[place] ?? 1)
      for (let column = place; column < row.length; column++)
        row[column] = (row[column] ?? 0) - factor * (pivot[column] ?? 0)
    }
  }
  const solution = new Array<number>(rows.length).fill(0)
  for (let place = rows.length - 1; place >= 0; place--) {
    const row = rows[place] ?? []
    let rest = row[rows.length] ?? 0
    for (let column = place + 1; column < rows.length; column++) rest -= (row[column] ?? 0) * (solution[column] ?? 0)
    solution[place] = rest / (row[place] ?? 1)
  }
  return solution
}
