import { Context, type Effect, type Result } from "effect"
import type { KeyedAddress } from "../engine/Directory.ts"
import type { KeyName } from "../engine/Directory.ts"
import type { Network } from "../money/Network.ts"

/** An account's extended public key that was checked for a network. */
export interface CheckedXpub {
  /** One text for all spellings of the same key. */
  readonly canonical: string
}

/** Why a text is no account's key of a network. */
export interface XpubRefused {
  readonly code: "xpub_invalid" | "xpub_not_depth_3"
  readonly message: string
}

/** How the addresses of the networks follow from public keys. */
export class Derivations extends Context.Service<
  Derivations,
  {
    /** Checks an account's extended public key for a network. Pure. */
    readonly parse: (network: Network, text: string) => Result.Result<CheckedXpub, XpubRefused>
    /**
     * The canonical addresses of `count` indexes, with the names of their keys, from `from` on, below an account's canonical key. Takes a quarter of a
     * millisecond each and lets others run in between. On stellar the account is a `G…` and the addresses its muxed accounts.
     */
    readonly derive: (
      network: Network,
      account: string,
      from: number,
      count: number
    ) => Effect.Effect<ReadonlyArray<KeyedAddress>>
    /** The canonical addresses that a public key has on a network: 33 bytes of secp256k1, on stellar 32 of ed25519. Pure. */
    readonly addressesOf: (network: Network, publicKey: Uint8Array) => ReadonlyArray<string>
    /** The names of the key behind a canonical address of a network, as far as the address tells. Pure. */
    readonly keysOf: (network: Network, address: string) => ReadonlyArray<KeyName>
    /** The names of a public key, in all forms of addresses of all networks that it is good for. Pure. */
    readonly keysOfPublicKey: (network: Network, publicKey: Uint8Array) => ReadonlyArray<KeyName>
  }
>()("@bursar/core/port/Derivations") {}
