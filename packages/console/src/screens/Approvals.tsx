import type { OperatorGrantProposal } from "@bursar/api/operator/OperatorGrant"
import { useRead } from "../api/hooks.ts"
import { Action } from "../ui/Action.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Notice } from "../ui/Notice.tsx"
import { problemOf } from "../api/problem.ts"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"
import { operationColumns } from "./operationColumns.tsx"

/** What a proposal changes, value by value. */
const Diff = ({ changes }: Pick<OperatorGrantProposal, "changes">) => (
  <Rows
    label="Changes"
    rows={changes ?? []}
    keyOf={({ path }) => path}
    empty={changes === null ? "What it changes cannot be told: its chain does not hold." : "It changes nothing."}
    columns={[
      { title: "Value", of: ({ path }) => <span className="mono">{path}</span> },
      { title: "Now", kind: "wrap", of: ({ from }) => from ?? "–" },
      { title: "Then", kind: "wrap", of: ({ to }) => <strong>{to ?? "–"}</strong> }
    ]}
  />
)

const Proposal = ({ proposal }: { readonly proposal: OperatorGrantProposal }) => {
  const { approvals, approvals_needed: needed, chain, expires_at: expires, hash, id, kind, note, subject } = proposal
  const params = { chain, proposal_id: id }
  return (
    <Card title={`${kind}: ${subject}`}>
      <div className="stack">
        <p>
          {note} Proposed by {proposal.proposed_by}, <Time at={proposal.proposed_at} />. It expires{" "}
          <Time at={expires} />.
        </p>
        <Diff changes={proposal.changes} />
        <p>
          <Badge>{`${approvals.length} of ${needed ?? "?"} approvals`}</Badge>{" "}
          {approvals.map(({ person }) => person).join(", ")}
        </p>
        <p className="muted">
          Approve it on the machine with your key, which shows you the same values:{" "}
          <span className="mono">
            bursar grant approve {chain} {id}
          </span>
          . Its hash is <span className="mono">{hash}</span>.
        </p>
        <div className="actions">
          <Action
            label="Reject"
            tone="danger"
            preview="Nobody can approve it any more. Nothing changes."
            ask={[{ name: "reason", label: "Reason", kind: "text" }]}
            act={({ reason = "" }) =>
              (api) =>
                api.grants.reject({ params, payload: { reason } })
              }
          />
        </div>
      </div>
    </Card>
  )
}

const ProposalsOf = ({ chain, title }: { readonly chain: string; readonly title: string }) => {
  const proposals = useRead(["grants", chain], (api) => api.grants.list({ params: { chain } }))
  const open = proposals.data?.proposals.filter(({ state }) => state === "OPEN") ?? []
  if (proposals.error !== null && problemOf(proposals.error).code === "product_not_enabled") return null
  return open.length === 0 ? null : (
    <section aria-label={`Grants of ${title}`} className="stack">
      {open.map((proposal) => (
        <Proposal key={proposal.id} proposal={proposal} />
      ))}
    </section>
  )
}

/** What waits for people to agree: reviews of operations, and grants. */
export const Approvals = () => {
  const reviews = useRead(["home", "reviews"], (api) =>
    api.operations.list({ query: { status: "IN_REVIEW", limit: 200 } })
  )
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  const approvers = useRead(["approvers"], (api) => api.grants.approvers())
  return (
    <>
      <h1>Approvals</h1>
      <Card title="Reviews">
        <Loaded of={reviews}>
          {({ operations }) => (
            <Rows
              label="Reviews"
              rows={operations}
              columns={operationColumns}
              keyOf={({ id }) => id}
              empty="Nothing waits for a review."
            />
          )}
        </Loaded>
      </Card>
      <h2>Grants</h2>
      {approvers.error === null ? (
        <p className="muted">
          {approvers.data?.approvers.map(({ name }) => name).join(", ")} may approve; it takes {approvers.data?.quorum}{" "}
          of them unless a kind says otherwise.
        </p>
      ) : (
        <Notice>{problemOf(approvers.error).message}</Notice>
      )}
      <ProposalsOf chain="fleet" title="the service" />
      {tenants.data?.tenants.map(({ id, slug }) => (
        <ProposalsOf key={id} chain={id} title={slug} />
      ))}
    </>
  )
}
