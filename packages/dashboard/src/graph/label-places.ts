export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The places that are taken by nodes and labels. A label that would cover one of them gets none. */
export class LabelPlaces {
  readonly #taken: Box[] = []

  /** For something that is drawn anyway. */
  occupy(box: Box): void {
    this.#taken.push(box)
  }

  take(box: Box): boolean {
    const isFree = this.#taken.every((other) => !overlap(box, other))
    if (isFree) this.#taken.push(box)
    return isFree
  }

  /** The first of these places that is free, which is then taken. */
  takeFirst(boxes: readonly Box[]): Box | undefined {
    return boxes.find((box) => this.take(box))
  }
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

/** Beside, above and below a node at this place, the best one first. */
export function placesAround(
  node: { readonly x: number; readonly y: number; readonly size: number },
  width: number,
  height: number,
): Box[] {
  const away = node.size + 3
  const middle = node.y - height / 2
  return [
    { x: node.x + away, y: middle, width, height },
    { x: node.x - away - width, y: middle, width, height },
    { x: node.x - width / 2, y: node.y + away, width, height },
    { x: node.x - width / 2, y: node.y - away - height, width, height },
  ]
}
