interface JSON {
  /**
   * A piece of JSON text that `JSON.stringify` writes as it is: how an exact decimal becomes a
   * number.
   */
  rawJSON(text: string): unknown;
}
