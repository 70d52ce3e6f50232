import { Context, type Effect } from "effect"
import type { Network } from "../money/Network.ts"

/** The standards by which a message is signed with the key of an address. */
export const messageFormats = ["EIP-191", "TIP-191", "BIP-322", "SEP-53"] as const

/** A standard by which a message is signed. */
export type MessageFormat = (typeof messageFormats)[number]

/** By what a message is signed on a network. */
export const messageFormatOf = (network: Network): MessageFormat => {
  switch (network) {
    case "tron":
      return "TIP-191"
    case "bitcoin":
      return "BIP-322"
    case "stellar":
      return "SEP-53"
    default:
      return "EIP-191"
  }
}

/** Who signed a message. Signatures of contracts (EIP-1271) and of many keys prove nothing here. */
export class MessageProofs extends Context.Service<
  MessageProofs,
  {
    /** Whether the key of a canonical address of a network has signed a text, in the form that is usual there. False on junk. */
    readonly verify: (network: Network, address: string, message: string, signature: string) => Effect.Effect<boolean>
  }
>()("@bursar/core/port/MessageProofs") {}
