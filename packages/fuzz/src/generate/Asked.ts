import type { Random } from "@bursar/simulation/kernel/Random"
import type { Kind } from "./Known.ts"

/** What a call asks of an operation, before anything of it is broken. */
export interface Asked {
  readonly path: Readonly<Record<string, string>>
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  /** Undefined where it has no body. */
  readonly body: unknown
}

/** What a generator may draw on. */
export interface Source {
  readonly random: Random
  /** The id of a record of the caller; of nobody's where there is none. */
  readonly id: (kind: Kind) => string
  /** A text that no other call has. */
  readonly unique: string
  /** Wraps a private key for the service. */
  readonly wrap: (secret: Uint8Array) => string
}
