/** Values in the order of their keys, the least first. Adding and taking one cost O(log n). */
export class MinHeap<Value> {
  readonly #entries: { key: number; value: Value }[] = [];

  /** `Infinity` if there is none. */
  leastKey(): number {
    return this.#entries[0]?.key ?? Infinity;
  }

  push(key: number, value: Value): void {
    let at = this.#entries.push({ key, value }) - 1;
    while (at > 0 && this.#swapIfLess(at, (at - 1) >> 1)) at = (at - 1) >> 1;
  }

  /** Removes the first. @throws if there is none */
  pop(): { key: number; value: Value } {
    const [first] = this.#entries;
    const last = this.#entries.pop();
    if (!first || !last) throw new Error('nothing is left');
    if (this.#entries.length > 0) this.#entries[0] = last;
    for (
      let at = 0, child = this.#lesserChild(0);
      this.#swapIfLess(child, at);
      child = this.#lesserChild(at)
    )
      at = child;
    return first;
  }

  #lesserChild(at: number): number {
    const left = 2 * at + 1;
    return this.#keyAt(left + 1) < this.#keyAt(left) ? left + 1 : left;
  }

  #keyAt(at: number): number {
    return this.#entries[at]?.key ?? Infinity;
  }

  /** Swaps an entry with its parent if it comes before it. */
  #swapIfLess(below: number, above: number): boolean {
    const [lower, upper] = [this.#entries[below], this.#entries[above]];
    if (!lower || !upper || lower.key >= upper.key) return false;
    [this.#entries[below], this.#entries[above]] = [upper, lower];
    return true;
  }
}
