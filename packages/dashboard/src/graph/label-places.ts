interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The places of labels that are drawn. A label that would cover another one gets none. */
export class LabelPlaces {
  #taken: Box[] = []

  clear(): void {
    this.#taken = []
  }

  take(box: Box): boolean {
    const isFree = this.#taken.every(
      (other) =>
        box.x + box.width <= other.x ||
        other.x + other.width <= box.x ||
        box.y + box.height <= other.y ||
        other.y + other.height <= box.y,
    )
    if (isFree) this.#taken.push(box)
    return isFree
  }
}
