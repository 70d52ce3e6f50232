/** Anchors of the audit log in an object store that speaks S3. */
export * from "./S3Anchor.ts"
export * from "./S3Options.ts"
