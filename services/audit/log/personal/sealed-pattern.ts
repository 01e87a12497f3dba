/** What a sealed value looks like; the first group is the id of its key. */
export const auditedSealedPattern = /^v1\.([\w-]{22})\.[\w-]{16}\.[\w-]{22,}$/;
