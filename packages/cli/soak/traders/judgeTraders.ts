import {
  judgeAccounts,
  judgeNames,
  judgeOrders,
  judgeRefunds,
  judgeTransfers
} from "@bursar/simulation/judge/judgeBank"
import { judgeCustody, judgeCustodyOrders } from "@bursar/simulation/judge/judgeCustody"
import { countCarried, judgeShown } from "@bursar/simulation/judge/judgeMoney"
import { judgePrices, judgeQuotes } from "@bursar/simulation/judge/judgeQuotes"
import { judgeRequests } from "@bursar/simulation/judge/judgeRequests"
import { judgeFeed } from "@bursar/simulation/judge/judgeRules"
import type { Told } from "@bursar/simulation/judge/Told"
import { purseOf } from "@bursar/simulation/model/money"
import type { Outside } from "../outside/Outside.ts"
import { terms } from "../outside/terms.ts"
import type { Trader } from "./Trader.ts"

/** The world as the judges of the simulation know it, as far as they ask. */
type Judged = Pick<Outside, "bank" | "currencies" | "exchange" | "market" | "records" | "verifier">

const ends: ReadonlySet<string> = new Set(["SETTLED", "FAILED", "RETURNED"])

/** What has not come to its end. */
const judgeEnds = ({ register }: Pick<Told, "register">): ReadonlyArray<string> =>
  register
    .filter(({ status, unresolved }) => unresolved || !ends.has(status))
    .map(({ id, kind, status }) => `${kind} ${id} has come to no end: it is ${status}`)

/**
 * What is wrong with what traders were told once all is over: whatever was acknowledged is in the register, was carried out at the
 * custodian or the bank once where it is settled and never where it has failed, and nothing else was; prices were kept, and what each
 * has is what it was given and what came, less what went and its fees.
 */
export const judgeTraders = (outside: Judged, told: ReadonlyArray<Told<Trader>>): ReadonlyArray<string> => {
  const world = { ...outside, config: terms }
  const judged = told.map((one) => ({ ...one, ...judgeRequests(world, one) }))
  const all = judged.map(({ carried }) => carried)
  return [
    ...judged.flatMap((one) => {
      const { carried, float, partner, violations } = one
      const purse = purseOf(partner.endowed)
      countCarried(world, { own: purse, earned: purseOf(new Map()) }, carried)
      return [
        ...violations,
        ...judgeEnds(one),
        ...judgeCustody(world, carried),
        ...judgeTransfers(world, carried),
        ...judgeQuotes(world, carried),
        ...judgeNames(world, carried),
        ...judgeAccounts(world, one, carried),
        ...judgeFeed(one, carried),
        ...judgeShown(world.currencies, float, purse)
      ]
    }),
    ...judgeCustodyOrders(world, judged, ({ destination }, address) => address === destination),
    ...judgeOrders(world, all),
    ...judgeRefunds(world),
    ...judgePrices(world)
  ]
}
