import type { HttpApi } from "effect/http-api"

/** A JSON document in the making. */
export type Document = Record<string, unknown>

/** Adds to the generated document what the generator cannot know. */
export const repairPartnerDocument = (_api: HttpApi.Constraint) => (document: Document): Document => document
