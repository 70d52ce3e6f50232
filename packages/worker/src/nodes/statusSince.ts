import { ChainError } from "@bursar/core/port/Chain"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { Effect } from "effect"
import type { SenderNode } from "./SenderNode.ts"

/** What one node says became of transactions, where its chain has a block. One that does not have it is behind, or of another branch, and fails. */
export const statusSince =
  ({ reader, sender }: Pick<SenderNode, "reader" | "sender">): NonNullable<ChainSender["statusSince"]> =>
  ({ hash, number }, ...asked) =>
    Effect.flatMap(reader.header(number), (header) =>
      header.hash === hash
        ? sender.status(...asked)
        : Effect.fail(
            new ChainError({
              network: reader.network,
              reason: "absent",
              doing: "ask what became of a transaction",
              detail: `it has another block ${number} than ${hash}`
            })
          )
    )
