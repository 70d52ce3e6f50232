import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { Context } from "effect"

/** An account from which addresses are issued, and the keys below it as something else than the adapter derives them. */
export interface ExampleAccount {
  /** What `keys.derive` takes: an extended public key or, where addresses are parts of one account, that account. */
  readonly key: string
  /** The public key of the address at an index. */
  readonly publicKeyAt: (index: number) => Uint8Array
}

/** A text that the key of an address has signed, in the format of the network's traits. */
export interface ExampleSignature {
  /** Canonical. */
  readonly address: string
  readonly message: string
  readonly signature: string
}

/** The adapter of a network over a node, the same over a node of another chain, and examples of what the adapter reads. */
export class AdapterWorld extends Context.Service<
  AdapterWorld,
  {
    readonly adapter: NetworkAdapter
    /** The adapter of the same network, configured for another chain than the one that its node is of. The node answers. */
    readonly astray: NetworkAdapter
    readonly account: ExampleAccount
    /** Other texts for the same address: each with its canonical form. */
    readonly spellings: ReadonlyArray<readonly [text: string, canonical: string]>
    /** Texts that somebody might take for an address that can receive, and that are none. */
    readonly notAddresses: ReadonlyArray<string>
    /** Texts that somebody might take for the extended public key of an account, and that are none. */
    readonly notAccounts: ReadonlyArray<string>
    readonly signed: ExampleSignature
  }
>()("@bursar/testkit/suites/adapter/AdapterWorld") {}
