import type { OperatorGrantProposal } from "@bursar/api/operator/OperatorGrant"
import { Facts } from "../../ui/Facts.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { GrantMeaning } from "./GrantMeaning.tsx"

interface Shown {
  readonly proposal: OperatorGrantProposal
  /** What people call the chain. */
  readonly title: string
}

/** Whose settings a grant is about. What is signed is for the id: the name is only what the service calls the tenant now. */
export const Whose = ({ proposal: { chain }, title }: Shown) => (
  <p>
    {chain === "fleet" ? (
      "It is about the service, and so about all tenants."
    ) : (
      <>
        It is about{" "}
        <strong>
          <Foreign text={title} />
        </strong>{" "}
        (tenant <span className="mono">{chain}</span>).
      </>
    )}
  </p>
)

/** All that a decision about a grant is about: what it is of, why, whose, and what it changes. What stays is not among what it changes, such as the name of a network. */
export const AboutGrant = ({ proposal, title }: Shown) => (
  <>
    <Facts
      of={[
        ["Grant", <Foreign text={`${proposal.kind}: ${proposal.subject}`} />],
        ["Why", proposal.note && <Foreign text={proposal.note} />],
        ["Proposed by", <Foreign text={proposal.proposed_by} />],
        ["Hash", <span className="mono">{proposal.hash}</span>]
      ]}
    />
    <Whose proposal={proposal} title={title} />
    <GrantMeaning proposal={proposal} />
  </>
)
