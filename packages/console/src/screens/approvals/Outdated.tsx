import type { OperatorGrantProposal } from "@bursar/api/operator/OperatorGrant"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

/** A proposal, under the name that people have for its chain. */
interface OfChain {
  readonly proposal: OperatorGrantProposal
  readonly title: string
}

/** Proposals that nobody can approve any more, with why: until they would have expired, so that whoever made one can propose it again. */
export const Outdated = ({ all }: { readonly all: ReadonlyArray<OfChain> }) =>
  all.length === 0 ? null : (
    <Card title="Outdated proposals">
      <p className="muted">Nobody can approve these any more. Propose again what still holds.</p>
      <Rows
        label="Outdated proposals"
        rows={all}
        keyOf={({ proposal: { id } }) => id}
        empty=""
        columns={[
          { title: "Of", of: ({ title }) => <Foreign text={title} /> },
          {
            title: "Grant",
            kind: "wrap",
            of: ({ proposal: { kind, subject } }) => <Foreign text={`${kind}: ${subject}`} />
          },
          {
            title: "Why",
            kind: "wrap",
            of: ({ proposal: { outdated_because: why } }) => <Foreign text={why ?? ""} />
          },
          { title: "Proposed by", of: ({ proposal: { proposed_by: by } }) => <Foreign text={by} /> },
          { title: "Proposed", of: ({ proposal: { proposed_at: at } }) => <Time at={at} /> },
          {
            title: "Approved by",
            kind: "wrap",
            of: ({ proposal: { approvals } }) => (
              <Foreign text={approvals.map(({ person }) => person).join(", ") || "nobody"} />
            )
          },
          { title: "Shown until", of: ({ proposal: { expires_at: at } }) => <Time at={at} /> }
        ]}
      />
    </Card>
  )
