import { Schema } from "effect"

/** The networks of the contract, which every service knows. A service may be configured to know more. */
export const presetNetworks = ["tron", "ethereum", "bsc", "base", "bitcoin", "stellar"] as const

/**
 * A network in answers.
 *
 * **Details**
 *
 * The document lists the networks of the contract, and validation takes any name: a service may be configured to know EVM networks
 * that no version of this contract names. `GET /v1/currencies` tells which assets there are, on which networks.
 */
export const Network = Schema.String.annotate({ identifier: "Network" })
/** A network in answers. */
export type Network = typeof Network.Type
