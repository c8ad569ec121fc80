/**
 * Secrets that can be recognised by their format alone. The issuers document most of these formats so that scanners can find them.
 * Every repetition has a bound, so the time that a hostile text takes grows with its length only.
 */
export interface SecretFormat {
  /** The name that replaces the secret, such as `GitHub token`. */
  readonly kind: string
  /** A text without any of these does not contain the format, and the expression is not run. */
  readonly hints: readonly string[]
  readonly expression: RegExp
}

export const secretFormats: readonly SecretFormat[] = [
  // See also `private-keys.ts`.
  {
    kind: 'private key',
    hints: ['PuTTY-User-Key-File'],
    expression: /\bPuTTY-User-Key-File-\d:[^\r\n]{0,100}(?:\r?\n[^\r\n]{1,200}){1,200}/g,
  },
  { kind: 'private key', hints: ['AGE-SECRET-KEY-1'], expression: /\bAGE-SECRET-KEY-1[0-9A-Z]{58}/g },

  // This service.
  { kind: 'Keepsake key', hints: ['ksk_'], expression: /\bksk_[0-7][0-9a-hjkmnp-tv-z]{25}_[\w-]{43}/g },

  // Clouds.
  { kind: 'AWS key', hints: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], expression: /\bA(?:KI|SI|BI|CC)A[A-Z2-7]{16}\b/g },
  { kind: 'Google API key', hints: ['AIza'], expression: /\bAIza[\w-]{35}/g },
  { kind: 'Google OAuth token', hints: ['ya29.'], expression: /\bya29\.[\w-]{20,500}/g },
  { kind: 'Google OAuth token', hints: ['1//0'], expression: /\b1\/\/0[\w-]{30,200}/g },
  { kind: 'Google OAuth secret', hints: ['GOCSPX-'], expression: /\bGOCSPX-[\w-]{28}/g },
  {
    kind: 'Azure key',
    hints: ['AccountKey=', 'SharedAccessKey='],
    expression: /\b(?:Account|SharedAccess)Key=[A-Za-z0-9+/]{40,100}={0,2}/g,
  },
  { kind: 'Azure key', hints: ['Q~'], expression: /\b[\w~.-]{3}\dQ~[\w~.-]{31,34}/g },
  { kind: 'Azure DevOps token', hints: ['AZDO'], expression: /\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b/g },
  { kind: 'Azure signature', hints: ['sig='], expression: /[?&]sig=[A-Za-z0-9%+/]{40,100}(?:%3D|=)/gi },
  { kind: 'Alibaba key', hints: ['LTAI'], expression: /\bLTAI[A-Za-z0-9]{16,20}\b/g },
  { kind: 'Tencent key', hints: ['AKID'], expression: /\bAKID[A-Za-z0-9]{32}\b/g },
  { kind: 'DigitalOcean token', hints: ['do'], expression: /\bdo[opr]_v1_[0-9a-f]{64}\b/g },
  { kind: 'Heroku key', hints: ['HRKU-'], expression: /\bHRKU-[\w-]{36,100}/g },
  { kind: 'Cloudflare token', hints: ['cf'], expression: /\bcf(?:ut|at|k)_[A-Za-z0-9]{40,60}/g },
  { kind: 'Cloudflare token', hints: ['v1.0-'], expression: /\bv1\.0-[0-9a-f]{24}-[0-9a-f]{146}\b/g },
  { kind: 'Fly.io token', hints: ['fm1', 'fm2'], expression: /\bfm[12][ar]?_[A-Za-z0-9+/=,_-]{60,5000}/g },
  { kind: 'Vercel token', hints: ['vc'], expression: /\bvc[aciprk]_[A-Za-z0-9]{24,80}/g },
  { kind: 'Netlify token', hints: ['nf'], expression: /\bnf[cpu]_[A-Za-z0-9]{36,50}/g },
  { kind: 'Supabase key', hints: ['sbp_', 'sb_secret_'], expression: /\b(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,60})/g },
  { kind: 'PlanetScale token', hints: ['pscale_'], expression: /\bpscale_(?:tkn|oauth|pw)_[\w.=-]{32,64}/g },
  { kind: 'Databricks token', hints: ['dapi'], expression: /\bdapi[0-9a-f]{32}(?:-\d)?\b/g },
  { kind: 'Tailscale key', hints: ['tskey-'], expression: /\btskey-[a-z]{2,12}-[\w-]{16,80}/g },
  { kind: 'Pulumi token', hints: ['pul-'], expression: /\bpul-[0-9a-f]{40}\b/g },
  { kind: 'Terraform token', hints: ['.atlasv1.'], expression: /\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70}/g },
  { kind: 'Vault token', hints: ['hv'], expression: /\bhv[sbr]\.[\w-]{24,300}/g },
  { kind: 'Doppler token', hints: ['dp.'], expression: /\bdp\.(?:ct|pt|st|sa|scim|audit)\.[\w.-]{40,80}/g },
  { kind: '1Password token', hints: ['ops_eyJ'], expression: /\bops_eyJ[\w-]{100,3000}={0,2}/g },

  // Code and packages.
  { kind: 'GitHub token', hints: ['gh'], expression: /\bgh[pousr]_[A-Za-z0-9]{36,255}/g },
  { kind: 'GitHub token', hints: ['github_pat_'], expression: /\bgithub_pat_\w{60,244}/g },
  {
    kind: 'GitLab token',
    hints: ['gl'],
    expression: /\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w.-]{20,100}/g,
  },
  { kind: 'Bitbucket token', hints: ['ATBB'], expression: /\bATBB[A-Za-z0-9]{28,60}\b/g },
  { kind: 'Atlassian token', hints: ['ATATT3', 'ATCTT3'], expression: /\bAT[AC]TT3[\w=-]{60,300}/g },
  { kind: 'npm token', hints: ['npm_'], expression: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { kind: 'PyPI token', hints: ['pypi-'], expression: /\bpypi-[\w-]{50,300}/g },
  { kind: 'RubyGems key', hints: ['rubygems_'], expression: /\brubygems_[0-9a-f]{48}\b/g },
  { kind: 'crates.io token', hints: ['cio'], expression: /\bcio[A-Za-z0-9]{32}\b/g },
  { kind: 'Docker token', hints: ['dckr_'], expression: /\bdckr_(?:pat|oat)_[\w-]{27,40}/g },
  { kind: 'Buildkite token', hints: ['bk'], expression: /\bbk(?:ua|at|aj|ct|r)_[0-9a-f]{40}\b/g },
  { kind: 'CircleCI token', hints: ['CCIP'], expression: /\bCCIP(?:AT|RJ)_[A-Za-z0-9]{20,24}_[0-9a-f]{40}\b/g },
  { kind: 'SonarQube token', hints: ['sq'], expression: /\bsq[uap]_[0-9a-f]{40}\b/g },
  { kind: 'Postman key', hints: ['PMAK-'], expression: /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b/g },
  { kind: 'Contentful token', hints: ['CFPAT-'], expression: /\bCFPAT-[\w-]{43}/g },

  // Language models.
  { kind: 'Anthropic key', hints: ['sk-ant-'], expression: /\bsk-ant-[\w-]{20,200}/g },
  { kind: 'OpenRouter key', hints: ['sk-or-'], expression: /\bsk-or-(?:v1-)?[\w-]{32,100}/g },
  {
    kind: 'OpenAI key',
    hints: ['sk-'],
    expression: /\bsk-(?:(?:proj|svcacct|admin|None)-[\w-]{20,250}|[A-Za-z0-9]{20,64})/g,
  },
  { kind: 'Hugging Face token', hints: ['hf_', 'api_org_'], expression: /\b(?:hf|api_org)_[A-Za-z0-9]{30,40}\b/g },
  { kind: 'Groq key', hints: ['gsk_'], expression: /\bgsk_[A-Za-z0-9]{48,56}\b/g },
  { kind: 'xAI key', hints: ['xai-'], expression: /\bxai-[A-Za-z0-9]{70,90}\b/g },
  { kind: 'Perplexity key', hints: ['pplx-'], expression: /\bpplx-[A-Za-z0-9]{40,60}\b/g },
  { kind: 'Replicate token', hints: ['r8_'], expression: /\br8_[A-Za-z0-9]{37}\b/g },
  { kind: 'NVIDIA key', hints: ['nvapi-'], expression: /\bnvapi-[\w-]{60,80}/g },
  { kind: 'Pinecone key', hints: ['pcsk_'], expression: /\bpcsk_\w{50,90}/g },
  { kind: 'LangSmith key', hints: ['lsv2_'], expression: /\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\b/g },
  { kind: 'Tavily key', hints: ['tvly-'], expression: /\btvly-(?:dev-|prod-)?[A-Za-z0-9]{32,60}\b/g },
  { kind: 'ElevenLabs key', hints: ['sk_'], expression: /\bsk_[0-9a-f]{48}\b/g },

  // Messages and mail.
  { kind: 'Slack token', hints: ['xox'], expression: /\bxox[abeoprs](?:\.xox[abp])?-[\w-]{10,250}/g },
  { kind: 'Slack token', hints: ['xapp-'], expression: /\bxapp-\d-[\w-]{20,200}/g },
  {
    kind: 'Slack webhook',
    hints: ['hooks.slack.com'],
    expression: /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/-]{20,200}/g,
  },
  {
    kind: 'Discord webhook',
    hints: ['/api/webhooks/'],
    expression: /\bdiscord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[\w-]{40,120}/g,
  },
  { kind: 'Discord token', hints: ['.'], expression: /\b[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,45}/g },
  { kind: 'Telegram token', hints: [':AA'], expression: /\b\d{8,10}:AA[\w-]{32,34}/g },
  {
    kind: 'Teams webhook',
    hints: ['webhook.office.com'],
    expression: /\bwebhook\.office\.com\/webhookb2\/[\w@/-]{60,300}/g,
  },
  { kind: 'Twilio key', hints: ['SK'], expression: /\bSK[0-9a-f]{32}\b/g },
  { kind: 'SendGrid key', hints: ['SG.'], expression: /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/g },
  { kind: 'Mailgun key', hints: ['key-'], expression: /\bkey-[0-9a-f]{32}\b/g },
  { kind: 'Mailgun key', hints: ['-'], expression: /\b[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b/g },
  { kind: 'Mailchimp key', hints: ['-us'], expression: /\b[0-9a-f]{32}-us\d{1,2}\b/g },
  { kind: 'Brevo key', hints: ['xkeysib-'], expression: /\bxkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}\b/g },
  { kind: 'Resend key', hints: ['re_'], expression: /\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b/g },

  // Payments and shops.
  {
    kind: 'Stripe key',
    hints: ['k_live_', 'k_test_', 'k_prod_'],
    expression: /\b[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16,250}/g,
  },
  { kind: 'webhook secret', hints: ['whsec_'], expression: /\bwhsec_[A-Za-z0-9+/_-]{24,100}={0,2}/g },
  { kind: 'Square token', hints: ['sq0'], expression: /\bsq0(?:atp|csp|idp)-[\w-]{22,43}/g },
  { kind: 'Square token', hints: ['EAAA'], expression: /\bEAAA[\w-]{60}\b/g },
  {
    kind: 'Braintree token',
    hints: ['access_token$'],
    expression: /\baccess_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}\b/g,
  },
  { kind: 'Shopify token', hints: ['shp'], expression: /\bshp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}\b/g },
  { kind: 'Flutterwave key', hints: ['FLWSECK'], expression: /\bFLWSECK(?:_TEST)?-[\w-]{16,60}/g },
  { kind: 'Shippo token', hints: ['shippo_'], expression: /\bshippo_(?:live|test)_[0-9a-f]{40}\b/g },
  { kind: 'Facebook token', hints: ['EAA'], expression: /\bEAA[A-Za-z0-9]{80,400}\b/g },

  // Monitoring.
  { kind: 'New Relic key', hints: ['NR'], expression: /\bNR(?:AK|AA|II|IQ|RA|SP|JS|BR|AL)-[A-Za-z0-9_-]{19,60}/g },
  { kind: 'New Relic key', hints: ['NRAL'], expression: /\b[0-9a-f]{36}NRAL\b/g },
  { kind: 'Sentry token', hints: ['sntry'], expression: /\bsntry[su]_[\w+/=-]{40,400}/g },
  {
    kind: 'Sentry DSN',
    hints: ['@'],
    expression: /\bhttps?:\/\/[0-9a-f]{32}(?::[0-9a-f]{32})?@[\w.-]{1,100}\/\d{1,20}/g,
  },
  {
    kind: 'Grafana token',
    hints: ['gl'],
    expression: /\bgl(?:sa_[A-Za-z0-9]{32}_[0-9a-f]{8}|c_[A-Za-z0-9+/]{32,400}={0,2})/g,
  },
  { kind: 'Dynatrace token', hints: ['dt0'], expression: /\bdt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b/g },
  { kind: 'Datadog key', hints: ['ddap'], expression: /\bddap[ip]_[A-Za-z0-9]{32,64}\b/g },

  // Tools.
  { kind: 'Linear key', hints: ['lin_'], expression: /\blin_(?:api|oauth|wh)_[A-Za-z0-9]{32,64}\b/g },
  {
    kind: 'Notion token',
    hints: ['ntn_', 'secret_'],
    expression: /\b(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})\b/g,
  },
  { kind: 'Airtable token', hints: ['pat'], expression: /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b/g },
  { kind: 'Figma token', hints: ['fig'], expression: /\bfig[doru]_[\w-]{36,80}/g },
  { kind: 'HubSpot token', hints: ['pat-'], expression: /\bpat-(?:na|eu|ap)\d-[0-9a-f-]{36}\b/g },
  { kind: 'Typeform token', hints: ['tfp_'], expression: /\btfp_[\w.-]{40,80}/g },
  { kind: 'Mapbox token', hints: ['sk.eyJ'], expression: /\bsk\.eyJ[\w-]{20,200}\.[\w-]{20,60}/g },
  { kind: 'Dropbox token', hints: ['sl.'], expression: /\bsl\.(?:u\.)?[\w-]{120,1500}/g },

  // Whoever issued them.
  { kind: 'JSON Web Token', hints: ['eyJ'], expression: /\beyJ[\w-]{10,4000}\.eyJ[\w-]{4,8000}\.[\w-]{0,2000}/g },
]
