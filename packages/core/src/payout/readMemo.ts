import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Memo } from "../port/Chain.ts"
import type { NetworkAdapter } from "../port/NetworkAdapter.ts"

/** Reads the memo of a destination, whose address is canonical, by the rule of its network; the refusal is `memo_invalid`. */
export const readMemo = (
  { readMemo: read, traits }: Pick<NetworkAdapter, "readMemo" | "traits">,
  address: string,
  text: string | null
): Result.Result<Memo | null, Refusal> => {
  if (text === null) return Result.succeed(null)
  const memo = read === undefined ? Result.fail(`${traits.name} has no memos.`) : read(address, text)
  return Result.mapError(memo, (message) => new Refusal({ code: "memo_invalid", message }))
}
