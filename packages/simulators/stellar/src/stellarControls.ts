import { Memo } from "@stellar/stellar-sdk/base"
import { Effect, Result } from "effect"
import type { ControlledNode, FundRequest } from "@bursar/simulator-kit/ControlServer"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { controlFaults } from "@bursar/simulator-kit/FaultQueue"
import { isAddress } from "./address.ts"
import type { Ledger } from "./Ledger.ts"
import { usdc } from "./network.ts"
import type { StellarFaucet } from "./StellarFaucet.ts"
import { StellarFault } from "./StellarFault.ts"
import type { StellarNode } from "./StellarNode.ts"
import { unitsOf } from "./units.ts"

const decimals = 7

/** What the faucet pays, by the codes of the service. */
const assets: Readonly<Record<string, string>> = { XLM: "native", USDC_XLM: usdc }

const invalid = (message: string, hint: string) => new DevnetError({ code: "invalid_request", message, hint })

const toUnits = (amount: string): Effect.Effect<bigint, DevnetError> => {
  const units = unitsOf(amount)
  return units === undefined || units === 0n
    ? Effect.fail(invalid(`${amount} is not an amount above zero with at most ${decimals} decimals`, "Correct it."))
    : Effect.succeed(units)
}

const toAsset = (code: string): Effect.Effect<string, DevnetError> => {
  const asset = assets[code]
  return asset === undefined
    ? Effect.fail(invalid(`there is no ${code} on stellar`, `Known: ${Object.keys(assets).join(", ")}.`))
    : Effect.succeed(asset)
}

const toMemo = (memo: (typeof FundRequest.Type)["memo"]): Effect.Effect<Memo | undefined, DevnetError> => {
  if (memo === undefined) return Effect.succeed(undefined)
  const make = { text: Memo.text, id: Memo.id, hash: Memo.hash, return: Memo.return }[memo.type]
  return Effect.fromResult(
    Result.try({
      try: () => make(memo.value),
      catch: () => invalid(`${memo.value} is not a memo of type ${memo.type}`, "Correct it.")
    })
  )
}

const describe = ({ hash, sequence }: Ledger) => ({ number: sequence, hash })

/** The controls of the local stellar node: its faucet and its faults behind one interface. */
export const stellarControls = (faucet: StellarFaucet, node: StellarNode): ControlledNode => {
  const { chain } = faucet
  return {
    mine: ({ count }) => Effect.map(faucet.close(count), (latest) => ({ latest: describe(latest) })),
    fund: Effect.fn("stellarControls.fund")(function* ({ address, amount, asset, memo }) {
      if (!isAddress(address)) return yield* invalid(`${address} is not an address`, "Give G… or M….")
      const paid = yield* faucet.pay(address, yield* toAsset(asset), yield* toUnits(amount), yield* toMemo(memo))
      return { tx_hash: paid.hash, block_number: paid.found?.ledger.sequence ?? null }
    }),
    reorg: () => Effect.fail(invalid("stellar has no reorgs: a closed ledger is final", "Use another network.")),
    fault: controlFaults(StellarFault, node),
    state: Effect.gen(function* () {
      const latest = describe(chain.head())
      return {
        network: "stellar",
        network_passphrase: chain.passphrase,
        latest,
        finalized: latest,
        time: chain.head().time * 1_000,
        pool: { pending: chain.pending().length },
        assets: Object.entries(assets).map(([asset, name]) => ({
          asset,
          contract: name === "native" ? null : name,
          decimals
        })),
        faults: yield* node.pending,
        calls: yield* node.seen
      }
    })
  }
}
