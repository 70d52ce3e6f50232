import type { JsonObject } from "../json.ts"

/** A link. */
export const link = (href: string): JsonObject => ({ href })

/** A link to a collection, whose page is chosen by whoever follows it. */
export const pagedLink = (href: string): JsonObject => ({ href: `${href}{?cursor,limit,order}`, templated: true })

/** A time in seconds as Horizon writes it. */
export const timeText = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace(".000Z", "Z")
