import type { OperatorOperationPage } from "@bursar/api/operator/OperatorOperation"
import { Foreign } from "../../ui/Foreign.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Time } from "../../ui/Time.tsx"

/** How many are named, so that the operations that can be read stay in view. */
const namedMax = 5

/** Names operations that cannot be read here: they stand in no list. */
export const Unreadable = ({ operations }: { readonly operations: OperatorOperationPage["unreadable"] }) => (
  <>
    {operations.slice(0, namedMax).map(({ created_at: at, id, kind, problem, status, tenant }) => (
      <Notice key={id} tone="bad">
        An operation of {tenant} cannot be read here: <Foreign text={`${kind} ${status} ${id}`} />, accepted{" "}
        <Time at={at} />. <Foreign text={problem} />. If a newer release has written it, upgrade this server.
      </Notice>
    ))}
    {operations.length > namedMax ? (
      <Notice tone="bad">{operations.length - namedMax} more operations cannot be read here.</Notice>
    ) : null}
  </>
)
