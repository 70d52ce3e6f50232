/** Identity checks with Sumsub. */
export * from "./readSumsubHint.ts"
export * from "./statusOf.ts"
export * from "./SumsubIdentity.ts"
export * from "./SumsubOptions.ts"
