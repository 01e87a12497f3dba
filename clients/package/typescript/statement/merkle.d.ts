export declare const emptyRoot: Buffer;
export declare const leafHash: (bytes: string) => Buffer;
type Inclusion = {
    index: number;
    size: number;
    leaf: Buffer;
    hashes: readonly Buffer[];
};
/**
 * The root that an inclusion proof leads to (RFC 9162, section 2.1.3.2); undefined for a proof that
 * is not of this index and size.
 */
export declare function rootOfInclusion({ index, size, leaf, hashes }: Inclusion): Buffer | undefined;
type Consistency = {
    from: {
        size: number;
        root: Buffer;
    };
    to: {
        size: number;
        root: Buffer;
    };
    hashes: readonly Buffer[];
};
/** Whether the larger tree begins with the smaller one (RFC 9162, section 2.1.4.2). */
export declare function isConsistent({ from, to, hashes }: Consistency): boolean;
export {};
