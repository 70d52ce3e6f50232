import { Effect } from "effect"
import { keccak256 } from "viem"
import { bytesToHex } from "viem"
import type { Broadcast } from "@bursar/core/port/ChainSender"
import type { Rpc } from "../rpc/Rpc.ts"
import { type NodeRefusal, shortened } from "../rpc/NodeAnswer.ts"
import { same } from "../rpc/wire.ts"

type NotTaken = Extract<Broadcast, { readonly _tag: "Rejected" }>["reason"]

/** "It has it already", in the words of geth, erigon, nethermind, besu, reth and anvil. */
const held =
  /already known|known transaction|already imported|alreadyknown|already exists|already in (?:the )?(?:mem)?pool/iu

/** What nodes say and what it means, the first that matches. */
const meanings: ReadonlyArray<readonly [RegExp, NotTaken]> = [
  [/nonce too low|nonce is too low|oldnonce|old nonce|invalid nonce.*\blower\b/iu, "guard_used"],
  [
    /underpriced|fee too low|gas price (?:too low|below)|max fee per gas less than block base fee|feetoolow|tip too low|below (?:the )?minimum/iu,
    "fee_too_low"
  ],
  [
    /pool (?:is )?full|txpool is full|too many|rate limit|limit exceeded|overloaded|busy|try again|nonce too high|nonce gap|queued|timeout|temporar/iu,
    "busy"
  ],
  [
    /insufficient funds|insufficient balance|intrinsic gas|invalid sender|invalid signature|chain ?id|exceeds block gas limit|exceeds the configured cap|gas limit|rlp|decode|unmarshal|invalid transaction|type not supported|oversized|blacklist|rejected/iu,
    "invalid"
  ]
]

const meaningOf = ({ code, detail }: NodeRefusal): Broadcast => {
  if (held.test(detail)) return { _tag: "Accepted" }
  const known = meanings.find(([words]) => words.test(detail))
  const said = shortened(`${detail} (${code})`)
  if (known !== undefined) return { _tag: "Rejected", reason: known[1], detail: said }
  // -32005 is the limit of a provider.
  return code === -32005 ? { _tag: "Rejected", reason: "busy", detail: said } : { _tag: "Unknown", detail: said }
}

/** Hands in these very bytes, once. Words of the node that are not understood are `Unknown`, as is every other hash. */
export const broadcastSigned = (rpc: Rpc, raw: Uint8Array): Effect.Effect<Broadcast> => {
  const hash = keccak256(raw)
  return rpc.call(`broadcast ${hash}`, "eth_sendRawTransaction", [bytesToHex(raw)]).pipe(
    Effect.map((answer): Broadcast =>
      typeof answer === "string" && same(answer, hash)
        ? { _tag: "Accepted" }
        : { _tag: "Unknown", detail: shortened(`the node answered ${JSON.stringify(answer) ?? "nothing"}`) }
    ),
    Effect.catchTag("NodeRefusal", (refusal) => Effect.succeed(meaningOf(refusal))),
    Effect.catchTag("ChainError", (error) => Effect.succeed<Broadcast>({ _tag: "Unknown", detail: error.message }))
  )
}
