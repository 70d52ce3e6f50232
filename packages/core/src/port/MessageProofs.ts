import { Context, type Effect } from "effect"
import type { Network } from "../money/Network.ts"

/** Who signed a message. Signatures of contracts (EIP-1271) and of many keys prove nothing here. */
export class MessageProofs extends Context.Service<
  MessageProofs,
  {
    /** Whether the key of a canonical address of a network has signed a text, in the form that is usual there. False on junk. */
    readonly verify: (network: Network, address: string, message: string, signature: string) => Effect.Effect<boolean>
  }
>()("@bursar/core/port/MessageProofs") {}
