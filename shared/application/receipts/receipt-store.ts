/** The store of the files that payers upload. */
export type ReceiptStore = {
  /**
   * Stores the bytes under the key; once it resolves they are durable. It may be repeated. @throws
   * if they could not be stored
   */
  put(key: string, content: Uint8Array): Promise<void>;
  /** The bytes; undefined if there are none. @throws if that can't be determined */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Deletes the bytes under the key, if there are any. @throws if they may still be there */
  remove(key: string): Promise<void>;
};

/**
 * A store that can list and delete all files of an operation: for an erasure
 * (docs/operators/personal-data.md).
 */
export type ErasableReceiptStore = ReceiptStore & {
  /** The names of the files in a folder. @throws if they can't be determined */
  list(folder: string): Promise<string[]>;
  /**
   * Deletes all files that were ever stored for the operation, also those that no event refers to.
   * @returns how many.
   * @throws if they may still be there
   */
  removeAll(operationId: string): Promise<number>;
};
