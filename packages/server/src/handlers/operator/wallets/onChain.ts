import type { Currency, CurrencyTable } from "@bursar/core/money/Currency"
import type { Networks } from "@bursar/core/port/Networks"
import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { Effect } from "effect"

/** For how long a node may take to answer before the page says that it does not, in milliseconds. */
const answerWithinMs = 5_000

/** How many questions a node is asked at once. */
const questionsMax = 4

/** What the chain says, or undefined where no node answers in time. What is not known is shown as not known. */
const orUnknown = <A, E>(asked: Effect.Effect<A, E>): Effect.Effect<A | undefined> =>
  asked.pipe(
    Effect.timeout(answerWithinMs),
    Effect.orElseSucceed(() => undefined)
  )

/** What the chain shows of a wallet now: each asset of its network, and the number that it takes next. */
export const onChain = Effect.fnUntraced(function* (
  networks: Networks["Service"],
  currencies: CurrencyTable,
  { address, network }: PayoutWallet
) {
  const sender = networks.get(network)?.sender
  const assets = currencies.all.filter(({ asset }) => asset?.network === network)
  if (sender === undefined)
    return { balances: assets.map((currency) => ({ currency, units: undefined })), sequence: undefined }
  const balanceOf = (currency: Currency) =>
    Effect.map(orUnknown(sender.balance(address, currency.asset?.contract ?? null)), (units) => ({ currency, units }))
  const [balances, sequence] = yield* Effect.all(
    [Effect.forEach(assets, balanceOf, { concurrency: questionsMax }), orUnknown(sender.firstSequence(address))],
    { concurrency: 2 }
  )
  return { balances, sequence: sequence ?? undefined }
})
