import { Effect, type Result } from "effect"
import type { KeyedAddress, KeyName } from "../engine/Directory.ts"
import type { NetworkTraits } from "../money/Network.ts"
import type { ChainError, ChainReader, Memo } from "./Chain.ts"
import type { ChainSender, TransactionFormat, TransactionSignature } from "./ChainSender.ts"

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

/** A text in the form in which it is signed on a network, which is never a transaction's. */
export interface MessageToSign {
  /** 32 bytes: what secp256k1 signs; the message that ed25519 signs. */
  readonly digest: Uint8Array
  /** The signature as `verifyMessage` reads it. */
  readonly finish: (signature: TransactionSignature) => string
}

/** How addresses of a network follow from keys, and what is signed with them. Pure, but for the time that deriving takes. */
export interface NetworkKeys {
  /** Checks an account's extended public key. */
  readonly parse: (text: string) => Result.Result<CheckedXpub, XpubRefused>
  /** The name of an account by its canonical key: the same on every network on which what is derived below it is good. Pure. */
  readonly accountKeyName: (account: string) => KeyName
  /** The canonical addresses of `count` indexes from `from` on, below an account's canonical key, with the names of their keys. */
  readonly derive: (account: string, from: number, count: number) => Effect.Effect<ReadonlyArray<KeyedAddress>>
  /** The canonical addresses of a public key: 33 bytes of secp256k1, 32 of ed25519. */
  readonly addressesOf: (publicKey: Uint8Array) => ReadonlyArray<string>
  /** The names of the key behind a canonical address, as far as the address tells. */
  readonly keysOf: (address: string) => ReadonlyArray<KeyName>
  /** The names that a public key has by the addresses of this network. */
  readonly keysOfPublicKey: (publicKey: Uint8Array) => ReadonlyArray<KeyName>
  /** Whether the key of a canonical address has signed a text, in the form that is usual on the network. False on junk. */
  readonly verifyMessage: (address: string, message: string, signature: string) => Effect.Effect<boolean>
  /**
   * What the key of a canonical address signs for a text; says in words why an address of its kind signs none. Pure; absent where
   * nothing is signed but transactions.
   */
  readonly messageToSign?: (address: string, message: string) => Result.Result<MessageToSign, string>
}

/** One network: what is known of it, and all that reads and writes it. */
export interface NetworkAdapter {
  readonly traits: NetworkTraits
  /** What tells its chain from others of its family for as long as it exists: a chain id, the first block, a passphrase. */
  readonly chainId: string
  /** Gives the canonical form of a valid address, or says in words why it is none. Pure. */
  readonly parseAddress: (text: string) => Result.Result<string, string>
  /** The account that a canonical address is a part of (a muxed one, on stellar), undefined where it is none of that kind. Pure; absent where no address is. */
  readonly accountOf?: (address: string) => string | undefined
  /**
   * The canonical address of the part of an account that a memo names, to which a payment is proof of one to the account with the memo; undefined where
   * the memo names none. Pure; present where `accountOf` is.
   */
  readonly partOf?: (account: string, memo: string) => string | undefined
  /**
   * Reads the memo of a payment to a canonical address, or says in words why it cannot have this one. Pure; absent where the network has
   * no memos. `writeMemo` gives a text that reads as the same memo.
   */
  readonly readMemo?: (to: string, text: string) => Result.Result<Memo, string>
  readonly keys: NetworkKeys
  /** How its transactions are written: what signs reads with it what it is asked to sign. Pure. */
  readonly codec: TransactionFormat
  /**
   * Fails unless the node says that it is of the right chain: `other_chain` where it is of another, `unreachable` where it does not
   * answer. Ask at start, to refuse a mistake in the configuration.
   */
  readonly verifyChain: Effect.Effect<void, ChainError>
  /** Answers nothing, whatever it is asked, until `verifyChain` has succeeded once. */
  readonly reader: ChainReader
  /** Answers nothing, whatever it is asked, until `verifyChain` has succeeded once. What never fails says that it does not know. */
  readonly sender: ChainSender
}

/** The names of a public key in the forms of networks of its curve, whether they are switched on or not. */
export interface KeyForm {
  readonly curve: NetworkTraits["keyPaths"]["curve"]
  readonly keysOfPublicKey: (publicKey: Uint8Array) => ReadonlyArray<KeyName>
}

/** After this many addresses others get their turn: about four milliseconds. */
const addressesPerTurn = 16

/** The addresses of `count` indexes from `from` on, each made by `at`, so that others run in between. */
export const deriveInTurns = Effect.fnUntraced(function* (
  at: (index: number) => KeyedAddress,
  from: number,
  count: number
) {
  const addresses: Array<KeyedAddress> = []
  for (let index = from; index < from + count; index++) {
    if (addresses.length > 0 && addresses.length % addressesPerTurn === 0) yield* Effect.yieldNow
    addresses.push(at(index))
  }
  return addresses
})
