import { useAct } from "../api/hooks.ts"
import { type MissingGrant as Missing, missingGrant } from "../api/missingGrant.ts"
import { Failed, Notice } from "./Notice.tsx"

const Proposing = ({ missing }: { readonly missing: Missing }) => {
  const { chain, kind, values } = missing
  const { data, error, isPending, mutate } = useAct(
    () => (api) => api.grants.propose({ params: { chain }, payload: { kind, values } })
  )
  if (data !== undefined)
    return (
      <Notice tone="good">
        It is proposed, and waits on the screen Approvals. Each approver signs it on the machine with their key:{" "}
        <span className="mono">
          bursar grant approve {chain} {data.id}
        </span>
      </Notice>
    )
  return (
    <>
      <Notice>
        Nobody does this alone. Propose it: it happens once enough people have approved it with their keys.
      </Notice>
      {error === null ? null : <Failed error={error} />}
      <div className="actions">
        <button type="button" disabled={isPending} onClick={() => mutate(undefined)}>
          Propose a grant
        </button>
      </div>
    </>
  )
}

/** What to do where something was refused because it takes a grant; nothing where it was refused for another reason. */
export const MissingGrant = ({ error }: { readonly error: unknown }) => {
  const missing = missingGrant(error)
  return missing === undefined ? null : <Proposing missing={missing} />
}
