/** An amount in groups of three digits before its point, as people read it: its signs are all there and no other. */
export const groupsOf = (amount: string): ReadonlyArray<string> => {
  const [, sign = "", whole = "", rest = ""] = /^(-?)(\d+)(.*)$/u.exec(amount) ?? []
  const groups = whole.split(/\B(?=(?:\d{3})+$)/u)
  return whole === ""
    ? [amount]
    : groups.map((digits, n) => `${n === 0 ? sign : ""}${digits}${n === groups.length - 1 ? rest : ""}`)
}
