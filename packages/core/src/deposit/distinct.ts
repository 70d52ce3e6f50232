import { Deposit, type DepositIdentity } from "./Deposit.ts"

/** The first of every deposit that is named. A decider sees no move of its own, so naming one twice would move it twice. */
export const distinct = <A>(named: ReadonlyArray<A>, identity: (one: A) => DepositIdentity): ReadonlyArray<A> => {
  const seen = new Set<string>()
  return named.filter((one) => {
    const key = Deposit.text(identity(one))
    return seen.has(key) ? false : seen.add(key)
  })
}
