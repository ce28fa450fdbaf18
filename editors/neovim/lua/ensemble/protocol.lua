--- The messages between the server and this plugin. Written by scripts/protocol_types.py from the server's schema.

---@alias ensemble.protocol.Action "fix"|"review"|"explain"|"test"|"secure"|"locate"|"refactor"|"rewrite"|"debate"

---@class ensemble.protocol.Applied
---@field applied boolean
---@field failureReason? string|nil

---@class ensemble.protocol.ApplyArgument
---@field proposal string
---@field hunks? string[]|nil
---@field candidate? string|nil

---@alias ensemble.protocol.Band "high"|"medium"|"low"

---@class ensemble.protocol.BudgetArgument
---@field usd? number|nil
---@field seconds? number|nil
---@field calls? integer|nil

---@class ensemble.protocol.Candidate
---@field id string
---@field changes ensemble.protocol.FileChange[]
---@field members string[]
---@field families string[]
---@field rationale? string
---@field reasons? table<string, string>
---@field evidence? ensemble.protocol.Evidence[]
---@field regressed? string[]
---@field newDiagnostics? integer
---@field changedLines? integer
---@field spend? ensemble.protocol.Spend
---@field revisedFrom? string|nil
---@field rejected? string

---@class ensemble.protocol.CandidateCheck
---@field witness string
---@field outcome ensemble.protocol.Outcome
---@field summary string

---@class ensemble.protocol.CandidateParams
---@field proposal string
---@field candidate string

---@class ensemble.protocol.CheckFinished
---@field job string
---@field seq integer
---@field time number
---@field kind "check"
---@field witness string
---@field target string
---@field outcome ensemble.protocol.Outcome
---@field summary string
---@field about? string
---@field members? string[]

---@class ensemble.protocol.CheckVerdict
---@field candidate string
---@field members string[]
---@field passed boolean

---@class ensemble.protocol.ContextAnswer
---@field definitions? ensemble.protocol.ContextLocation[]
---@field references? ensemble.protocol.ContextLocation[]
---@field hovers? string[]
---@field diagnostics? ensemble.protocol.DiagnosticArgument[]

---@class ensemble.protocol.ContextLocation
---@field uri string
---@field range ensemble.protocol.RangeArgument
---@field text? string|nil

---@class ensemble.protocol.ContextParams
---@field uri string
---@field positions ensemble.protocol.PositionArgument[]
---@field want ("definition"|"references"|"hover"|"diagnostics")[]

---@class ensemble.protocol.ContinueArgument
---@field job string
---@field mode? "panel"|"debate"

---@class ensemble.protocol.CritiqueMade
---@field job string
---@field seq integer
---@field time number
---@field kind "critique"
---@field from string
---@field about string
---@field claim string
---@field evidence string
---@field broke boolean
---@field against? string[]

---@class ensemble.protocol.DebateArgument
---@field uri string
---@field range? ensemble.protocol.RangeArgument|nil
---@field mode? ensemble.protocol.Mode|nil
---@field rounds? integer|nil
---@field panel? string[]
---@field budget? ensemble.protocol.BudgetArgument|nil
---@field check? string|nil
---@field instruction? string

---@class ensemble.protocol.Diagnostic
---@field path string
---@field line integer
---@field endLine integer
---@field severity ensemble.protocol.Severity
---@field source string
---@field code string
---@field message string

---@class ensemble.protocol.DiagnosticArgument
---@field range ensemble.protocol.RangeArgument
---@field message string
---@field severity? integer|nil
---@field source? string|nil
---@field code? string|integer|nil

---@class ensemble.protocol.DismissArgument
---@field finding string
---@field reason? string

---@class ensemble.protocol.DismissalList
---@field dismissals ensemble.protocol.ListedDismissal[]
---@field warnings? string[]

---@class ensemble.protocol.Dissent
---@field member string
---@field family string
---@field about string
---@field text string

---@class ensemble.protocol.DissentKept
---@field job string
---@field seq integer
---@field time number
---@field kind "dissent"
---@field dissent ensemble.protocol.Dissent

---@class ensemble.protocol.DraftRecord
---@field member string
---@field family string
---@field text string
---@field spend? ensemble.protocol.Spend
---@field style? integer

---@class ensemble.protocol.Estimate
---@field callsExpected integer
---@field callsBound integer
---@field usdExpected number
---@field usdBound number
---@field tokensExpected? integer|nil
---@field secondsExpected? number|nil
---@field usdCap? number|nil

---@class ensemble.protocol.Evidence
---@field witness string
---@field rank ensemble.protocol.Rank
---@field target string
---@field outcome ensemble.protocol.Outcome
---@field summary string
---@field log? string
---@field seconds? number
---@field tests? table<string, ensemble.protocol.Outcome>
---@field diagnostics? ensemble.protocol.Diagnostic[]
---@field sandbox? string

---@class ensemble.protocol.ExplainArgument
---@field uri string
---@field range? ensemble.protocol.RangeArgument|nil
---@field mode? ensemble.protocol.Mode|nil
---@field rounds? integer|nil
---@field panel? string[]
---@field budget? ensemble.protocol.BudgetArgument|nil
---@field check? string|nil
---@field instruction? string

---@class ensemble.protocol.FileChange
---@field path string
---@field before? ensemble.protocol.SourceText|nil
---@field after? ensemble.protocol.SourceText|nil

---@class ensemble.protocol.Finding
---@field id string
---@field path string
---@field line integer
---@field endLine integer
---@field quote string
---@field severity ensemble.protocol.Severity
---@field category string
---@field title string
---@field detail string
---@field confidence number
---@field band ensemble.protocol.Band
---@field members string[]
---@field families string[]
---@field evidence? ensemble.protocol.Evidence[]
---@field against? ensemble.protocol.Evidence[]
---@field dissent? ensemble.protocol.Dissent[]
---@field changedLines? boolean
---@field admitted? boolean
---@field reason? string
---@field fingerprint? string
---@field dismissed? string|nil
---@field grounds? ensemble.protocol.Grounds|nil

---@class ensemble.protocol.FindingMade
---@field job string
---@field seq integer
---@field time number
---@field kind "finding"
---@field finding ensemble.protocol.Finding

---@class ensemble.protocol.Finished
---@field job string
---@field seq integer
---@field time number
---@field kind "finished"
---@field status ensemble.protocol.Status
---@field reason string
---@field spend ensemble.protocol.Spend
---@field seconds? number

---@class ensemble.protocol.FixArgument
---@field uri string
---@field range? ensemble.protocol.RangeArgument|nil
---@field mode? ensemble.protocol.Mode|nil
---@field rounds? integer|nil
---@field panel? string[]
---@field budget? ensemble.protocol.BudgetArgument|nil
---@field check? string|nil
---@field instruction? string
---@field diagnostics? ensemble.protocol.DiagnosticArgument[]
---@field finding? string|nil

---@class ensemble.protocol.Grounds
---@field families integer
---@field witness? ensemble.protocol.Rank|nil
---@field refutation? ensemble.protocol.Refutation

---@class ensemble.protocol.HunkEvidence
---@field kind "families"|"check"|"finding"|"diagnostic"
---@field source string
---@field text string
---@field outcome? ensemble.protocol.Outcome|nil

---@class ensemble.protocol.InputAnswer
---@field text string|nil

---@class ensemble.protocol.InputParams
---@field title string
---@field job string

---@class ensemble.protocol.JobAnswer
---@field job string

---@class ensemble.protocol.JobReference
---@field job string

---@class ensemble.protocol.JobResult
---@field status ensemble.protocol.Status
---@field reason string
---@field error? string
---@field proposal? ensemble.protocol.Proposal|nil
---@field findings? ensemble.protocol.Finding[]
---@field reviewed? string[]
---@field unreviewed? string[]
---@field changedLines? table<string, ensemble.protocol.LineRange[]>
---@field texts? table<string, string>
---@field document? string
---@field dissent? ensemble.protocol.Dissent[]
---@field drafts? ensemble.protocol.DraftRecord[]
---@field verdicts? ensemble.protocol.CheckVerdict[]
---@field spend? ensemble.protocol.Spend
---@field notes? string[]
---@field warnings? string[]

---@class ensemble.protocol.JobSummary
---@field job string
---@field action ensemble.protocol.Action
---@field title string
---@field workspace string
---@field status ensemble.protocol.Status|"running"|"lost"
---@field started number
---@field seconds number
---@field usd number
---@field calls integer

---@class ensemble.protocol.Limits
---@field usd? number|nil
---@field seconds? number|nil
---@field calls? integer|nil

---@class ensemble.protocol.LineRange
---@field start integer
---@field end integer

---@class ensemble.protocol.ListedDismissal
---@field fingerprint string
---@field path string
---@field title string
---@field category string
---@field reason? string
---@field date string
---@field id string
---@field kept "private"|"shared"
---@field counts? boolean

---@class ensemble.protocol.ListedJob
---@field job string
---@field action ensemble.protocol.Action
---@field title string
---@field workspace string
---@field status ensemble.protocol.Status|"running"|"lost"
---@field started number
---@field seconds number
---@field usd number
---@field calls integer
---@field uri string

---@class ensemble.protocol.ListedJobs
---@field jobs ensemble.protocol.ListedJob[]

---@class ensemble.protocol.LocateArgument
---@field uri string
---@field range? ensemble.protocol.RangeArgument|nil
---@field mode? ensemble.protocol.Mode|nil
---@field rounds? integer|nil
---@field panel? string[]
---@field budget? ensemble.protocol.BudgetArgument|nil
---@field check? string|nil
---@field instruction? string
---@field report? "selection"|"instruction"|nil

---@class ensemble.protocol.MemberDelta
---@field job string
---@field seq integer
---@field time number
---@field kind "memberDelta"
---@field member string
---@field text string
---@field sample? integer
---@field tokensPerSecond? number|nil

---@class ensemble.protocol.MemberFinished
---@field job string
---@field seq integer
---@field time number
---@field kind "memberFinished"
---@field member string
---@field purpose string
---@field sample? integer
---@field spend ensemble.protocol.Spend
---@field seconds number
---@field cached? boolean
---@field error? string|nil
---@field errorKind? string|nil
---@field hint? string|nil
---@field cancelled? boolean

---@class ensemble.protocol.MemberStarted
---@field job string
---@field seq integer
---@field time number
---@field kind "memberStarted"
---@field member string
---@field family string
---@field purpose string
---@field sample? integer

---@alias ensemble.protocol.Mode "quick"|"panel"|"debate"

---@class ensemble.protocol.NoArgument

---@class ensemble.protocol.Nothing

---@alias ensemble.protocol.Outcome "passed"|"failed"|"timedOut"|"error"|"notRun"

---@class ensemble.protocol.PanelDescription
---@field seats ensemble.protocol.PanelSeat[]
---@field notes string[]
---@field spentTodayUsd number
---@field dayUsd number

---@class ensemble.protocol.PanelSeat
---@field id string
---@field model string
---@field family string
---@field role "anchor"|"member"|"strong"
---@field local boolean
---@field priceIn? number|nil
---@field priceOut? number|nil
---@field key string
---@field recipient string
---@field why string

---@alias ensemble.protocol.Phase "gather"|"draft"|"check"|"critique"|"revise"|"escalate"|"decide"

---@class ensemble.protocol.PhaseEntered
---@field job string
---@field seq integer
---@field time number
---@field kind "phase"
---@field phase ensemble.protocol.Phase
---@field round? integer
---@field note? string
---@field file? integer|nil
---@field files? integer|nil
---@field done? integer|nil

---@class ensemble.protocol.PlaceHint
---@field path string
---@field line? integer|nil
---@field why? string

---@class ensemble.protocol.PositionArgument
---@field line integer
---@field character integer

---@class ensemble.protocol.PositionTaken
---@field job string
---@field seq integer
---@field time number
---@field kind "position"
---@field member string
---@field stance string
---@field round integer
---@field moved? boolean
---@field because? string

---@class ensemble.protocol.Proposal
---@field id string
---@field job string
---@field title string
---@field standing ensemble.protocol.Standing
---@field weak? boolean
---@field strength? ensemble.protocol.Strength|nil
---@field chosen ensemble.protocol.Candidate
---@field alternatives? ensemble.protocol.Candidate[]
---@field dissent? ensemble.protocol.Dissent[]
---@field singleFamily? boolean
---@field wouldSettle? string
---@field spend? ensemble.protocol.Spend
---@field finding? string|nil

---@class ensemble.protocol.ProposalCandidate
---@field id string
---@field members string[]
---@field families string[]
---@field checks ensemble.protocol.CandidateCheck[]
---@field cost number
---@field changedLines integer
---@field chosen boolean
---@field rejected string

---@class ensemble.protocol.ProposalFile
---@field uri string
---@field version integer|nil
---@field kind "change"|"create"|"delete"
---@field conflict string
---@field hunks ensemble.protocol.ProposalHunk[]

---@class ensemble.protocol.ProposalHunk
---@field id string
---@field oldStart integer
---@field oldLines string[]
---@field newLines string[]
---@field conflict boolean
---@field why string
---@field evidence ensemble.protocol.HunkEvidence[]

---@class ensemble.protocol.ProposalMade
---@field job string
---@field seq integer
---@field time number
---@field kind "proposal"
---@field proposal string
---@field title string
---@field status ensemble.protocol.Standing
---@field weak boolean
---@field families string[]
---@field paths string[]
---@field changedLines integer

---@class ensemble.protocol.ProposalParams
---@field proposal string
---@field revision integer
---@field job string
---@field finding? string|nil
---@field title string
---@field status ensemble.protocol.Standing
---@field weak boolean
---@field candidate string
---@field files ensemble.protocol.ProposalFile[]
---@field candidates ensemble.protocol.ProposalCandidate[]
---@field dissent ensemble.protocol.Dissent[]
---@field wouldSettle string
---@field spend ensemble.protocol.Spend

---@class ensemble.protocol.ProposalText
---@field text string
---@field version integer|nil
---@field revision integer

---@class ensemble.protocol.ProposalTextParams
---@field proposal string
---@field uri string
---@field hunks? string[]|nil
---@field candidate? string|nil

---@class ensemble.protocol.RangeArgument
---@field start ensemble.protocol.PositionArgument
---@field end ensemble.protocol.PositionArgument

---@alias ensemble.protocol.Rank 0|1|2|3

---@class ensemble.protocol.RefactorArgument
---@field uri string
---@field range? ensemble.protocol.RangeArgument|nil
---@field mode? ensemble.protocol.Mode|nil
---@field rounds? integer|nil
---@field panel? string[]
---@field budget? ensemble.protocol.BudgetArgument|nil
---@field check? string|nil
---@field instruction? string

---@alias ensemble.protocol.Refutation "notAttempted"|"survived"|"survivedSameFamily"|"objected"|"refutedByCitation"|"refutedByExecution"

---@class ensemble.protocol.RejectArgument
---@field proposal string
---@field hunks? string[]|nil

---@class ensemble.protocol.RestoreArgument
---@field id string

---@class ensemble.protocol.ReviewArgument
---@field uri string
---@field range? ensemble.protocol.RangeArgument|nil
---@field mode? ensemble.protocol.Mode|nil
---@field rounds? integer|nil
---@field panel? string[]
---@field budget? ensemble.protocol.BudgetArgument|nil
---@field check? string|nil
---@field instruction? string
---@field scope? "range"|"file"|"changes"|"staged"|"workspace"|nil
---@field base? string|nil

---@class ensemble.protocol.RevisionMade
---@field job string
---@field seq integer
---@field time number
---@field kind "revision"
---@field member string
---@field about string
---@field outcome "revised"|"kept"|"withdrawn"
---@field conformity? boolean
---@field note? string

---@class ensemble.protocol.RewriteArgument
---@field uri string
---@field range? ensemble.protocol.RangeArgument|nil
---@field mode? ensemble.protocol.Mode|nil
---@field rounds? integer|nil
---@field panel? string[]
---@field budget? ensemble.protocol.BudgetArgument|nil
---@field check? string|nil
---@field instruction? string
---@field commit? string|nil

---@class ensemble.protocol.Seat
---@field member string
---@field family string
---@field model string
---@field local? boolean

---@class ensemble.protocol.SecureArgument
---@field uri string
---@field range? ensemble.protocol.RangeArgument|nil
---@field mode? ensemble.protocol.Mode|nil
---@field rounds? integer|nil
---@field panel? string[]
---@field budget? ensemble.protocol.BudgetArgument|nil
---@field check? string|nil
---@field instruction? string

---@alias ensemble.protocol.Severity "critical"|"warning"|"info"|"hint"

---@class ensemble.protocol.ShowArgument
---@field job string
---@field document? "transcript"|"result"

---@class ensemble.protocol.Shown
---@field uri string

---@class ensemble.protocol.SourceText
---@field text string
---@field encoding? string
---@field bom? boolean

---@class ensemble.protocol.Spend
---@field calls? integer
---@field tokensIn? integer
---@field tokensOut? integer
---@field usd? number

---@class ensemble.protocol.SpendReported
---@field job string
---@field seq integer
---@field time number
---@field kind "spend"
---@field spend ensemble.protocol.Spend

---@alias ensemble.protocol.Standing "verified"|"agreed"|"unverified"

---@class ensemble.protocol.Started
---@field job string
---@field seq integer
---@field time number
---@field kind "started"
---@field action ensemble.protocol.Action
---@field uri string
---@field panel ensemble.protocol.Seat[]
---@field estimate ensemble.protocol.Estimate
---@field mode ensemble.protocol.Mode
---@field notes? string[]

---@alias ensemble.protocol.Status "done"|"nothing"|"abstained"|"cancelled"|"failed"|"overBudget"

---@class ensemble.protocol.Strength
---@field killed integer
---@field total integer
---@field survivors? string[]

---@class ensemble.protocol.Task
---@field action ensemble.protocol.Action
---@field path? string|nil
---@field range? ensemble.protocol.LineRange|nil
---@field instruction? string
---@field diagnostics? ensemble.protocol.Diagnostic[]
---@field finding? ensemble.protocol.Finding|nil
---@field mode? ensemble.protocol.Mode
---@field rounds? integer
---@field check? string|nil
---@field paths? string[]
---@field scope? "changes"|"staged"|"workspace"|nil
---@field base? string|nil
---@field allLines? boolean
---@field fresh? boolean
---@field changedLines? table<string, ensemble.protocol.LineRange[]>
---@field places? ensemble.protocol.PlaceHint[]
---@field change? string
---@field limits? ensemble.protocol.Limits

---@class ensemble.protocol.TestArgument
---@field uri string
---@field range? ensemble.protocol.RangeArgument|nil
---@field mode? ensemble.protocol.Mode|nil
---@field rounds? integer|nil
---@field panel? string[]
---@field budget? ensemble.protocol.BudgetArgument|nil
---@field check? string|nil
---@field instruction? string

---@class ensemble.protocol.Transcript
---@field summary ensemble.protocol.JobSummary
---@field task ensemble.protocol.Task
---@field events table<string, any>[]
---@field result? ensemble.protocol.JobResult|nil

---@class ensemble.protocol.TrustArgument
---@field uri string
---@field trusted boolean

---@alias ensemble.Proposal ensemble.protocol.ProposalParams
---@alias ensemble.File ensemble.protocol.ProposalFile
---@alias ensemble.Hunk ensemble.protocol.ProposalHunk
---@alias ensemble.Event table<string, any> job, seq, time, kind, and the fields of that kind

local M = {}

M.version = 1

---@type string[]
M.commands = {
  "ensemble.apply",
  "ensemble.cancel",
  "ensemble.continue",
  "ensemble.debate",
  "ensemble.decide",
  "ensemble.dismiss",
  "ensemble.dismissals",
  "ensemble.explain",
  "ensemble.fix",
  "ensemble.jobs",
  "ensemble.locate",
  "ensemble.panel",
  "ensemble.refactor",
  "ensemble.reject",
  "ensemble.restore",
  "ensemble.review",
  "ensemble.rewrite",
  "ensemble.secure",
  "ensemble.show",
  "ensemble.test",
}

---@type string[]
M.messages = {
  "ensemble/candidate",
  "ensemble/context",
  "ensemble/event",
  "ensemble/input",
  "ensemble/job",
  "ensemble/proposal",
  "ensemble/proposalText",
  "ensemble/trust",
}

---@type string[]
M.events = {
  "check",
  "critique",
  "dissent",
  "finding",
  "finished",
  "memberDelta",
  "memberFinished",
  "memberStarted",
  "phase",
  "position",
  "proposal",
  "revision",
  "spend",
  "started",
}

---@type string[]
M.actions = {
  "fix",
  "review",
  "explain",
  "test",
  "secure",
  "locate",
  "refactor",
  "rewrite",
  "debate",
}

---@type string[]
M.modes = {
  "quick",
  "panel",
  "debate",
}

---@type string[]
M.phases = {
  "gather",
  "draft",
  "check",
  "critique",
  "revise",
  "escalate",
  "decide",
}

---@type string[]
M.statuses = {
  "done",
  "nothing",
  "abstained",
  "cancelled",
  "failed",
  "overBudget",
}

---@type string[]
M.code_action_kinds = {
  "quickfix",
  "source.ensemble.review",
  "refactor.ensemble.review",
  "refactor.rewrite.ensemble.fix",
  "refactor.ensemble.explain",
  "refactor.ensemble.test",
  "refactor.rewrite.ensemble.secure",
  "refactor.ensemble.locate",
  "refactor.rewrite.ensemble.refactor",
  "refactor.ensemble.debate",
  "refactor.rewrite.ensemble.rewrite",
}
return M
