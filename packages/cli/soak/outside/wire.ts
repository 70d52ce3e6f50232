import type { ProviderError } from "@bursar/core/port/ProviderError"
import { deserialize, serialize } from "node:v8"

/** The ports of a service that lead outside. */
export type OutsidePort = "custodian" | "fiat" | "identity" | "prices"

/** A call of a port, as it goes over the wire. */
export interface PortCall {
  readonly port: OutsidePort
  readonly name: string
  /** What it is called with; a port's value that is no function is given nothing. */
  readonly given: ReadonlyArray<unknown>
}

/** What a call came to. */
export type PortAnswer =
  | { readonly _tag: "Answered"; readonly value: unknown }
  | { readonly _tag: "Failed"; readonly error: Pick<ProviderError, "provider" | "doing" | "detail"> }

/** A value in bytes: amounts are bigints and balances are maps, of which JSON knows neither. */
export const written = (value: PortAnswer | PortCall): Uint8Array<ArrayBuffer> => Uint8Array.from(serialize(value))

/** The call that was written. Whoever calls is a process of the same run. */
export const readCall = (bytes: Uint8Array): PortCall => deserialize(bytes)

/** The answer that was written. */
export const readAnswer = (bytes: Uint8Array): PortAnswer => deserialize(bytes)
