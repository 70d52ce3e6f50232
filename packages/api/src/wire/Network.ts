import { Schema } from "effect"

/** The networks of the service. */
export const networks = ["tron", "ethereum", "bsc", "base", "bitcoin", "stellar"] as const

/** A network in answers. */
export const Network = Schema.Literals(networks).annotate({ identifier: "Network" })
/** A network in answers. */
export type Network = typeof Network.Type
