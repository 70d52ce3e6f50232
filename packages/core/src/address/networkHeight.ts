import { defineFact } from "../engine/Records.ts"

/** The newest block that is known of a network, undefined before its first. */
export const networkHeight = defineFact<number | undefined>({ name: "networkHeight", none: undefined })
