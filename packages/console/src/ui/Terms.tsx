import type { Agreeing } from "@bursar/api/operator/Consent"
import { holdsRole } from "@bursar/api/operator/Operator"
import { actionOf, type ActionName } from "../api/actions.ts"
import { useRead } from "../api/hooks.ts"
import { Facts } from "./Facts.tsx"

/** How many approvals a grant of a kind takes, in words; undefined where the service goes by no grants. */
const useQuorum = (kind: string | null): string | undefined => {
  const { data } = useRead(["approvers"], (api) => api.grants.approvers())
  if (data === undefined || kind === null) return undefined
  const needed = data.quorums[kind] ?? data.quorum
  return `${needed} of ${data.approvers.length} approvers sign a grant (${kind}), where this raises a risk`
}

const agreeing: Readonly<Record<Agreeing, string>> = {
  alone: "you alone",
  another: "you and another operator",
  approvers: "as many approvers as this kind of grant takes"
}

const useConsent = (action: ActionName): string => {
  const { grant, who } = actionOf(action).consent
  const quorum = useQuorum(grant)
  return quorum ?? agreeing[who]
}

const useRole = (action: ActionName): string => {
  const { role } = actionOf(action)
  const session = useRead(["session"], (api) => api.session.show())
  const mine = session.data?.role
  if (mine === undefined) return role
  const may = holdsRole(mine, role)
  return may ? `${role} (you are ${mine})` : `${role}: you are ${mine}, and it will be refused`
}

/** The name of an action as the audit log has it. */
const entryOf = (name: string): string => name.replace(/\{(\w+)\}/gu, ":$1")

/** On what terms an action is done, all by the contract: its role, who has to agree, and what the audit log keeps of it. */
export const Terms = ({ action }: { readonly action: ActionName }) => {
  const { method, name } = actionOf(action)
  const role = useRole(action)
  const consent = useConsent(action)
  return (
    <Facts
      of={[
        ["Role", role],
        ["Takes", method === "GET" ? null : consent],
        ["Audit entry", method === "GET" ? "none: it changes nothing" : <span className="mono">{entryOf(name)}</span>]
      ]}
    />
  )
}
