/** Where the files are that payers upload. */
export type ReceiptStore = {
  /**
   * Keeps the bytes under the key: once it resolves they survive whatever becomes of this process. A repeat is the
   * same. @throws when they could not be kept
   */
  put(key: string, content: Uint8Array): Promise<void>;
  /** The bytes; undefined where none were kept. @throws when that can't be said */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Deletes what is kept under the key, or does nothing where nothing is. @throws when it is not known to be gone */
  remove(key: string): Promise<void>;
};

/** A store that also forgets all of an operation: for an erasure (docs/operators/personal-data.md). */
export type ErasableReceiptStore = ReceiptStore & {
  /**
   * Deletes whatever was ever put for the operation, also what no event tells of. @returns how many files that was.
   * @throws when they are not known to be gone
   */
  removeAll(operationId: string): Promise<number>;
};
