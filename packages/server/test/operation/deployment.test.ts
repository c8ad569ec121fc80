/** Checks the Dockerfile, compose.yaml and deploy/kubernetes.yaml against the code. `npm run test:image` runs the steps. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ConfigError, loadConfig, settingNames } from '../../src/config/config.js'
import { listEndpoints } from '../../src/http/endpoints.js'
import { contextFiles, repository } from '../image/context.js'
import { contextFilter, copyOf, environmentOf, execForm, instructionsOf, stagesOf } from '../image/dockerfile.js'

const read = (path: string) => readFileSync(join(repository, path), 'utf8')
const isLetIn = contextFilter(read('.dockerignore'))
const stages = stagesOf(instructionsOf(read('Dockerfile')))
const last = stages.at(-1)
if (last === undefined) throw new Error('the Dockerfile has no stage')
const texts = (name: string) => last.instructions.filter((each) => each.name === name).map(({ text }) => text)
const version: string = JSON.parse(read('package.json')).version

const rootPaths = listEndpoints('0')
  .filter(({ base }) => base === 'root' || base === 'both')
  .map(({ path }) => path)
const inRepository = (arguments_: readonly string[]) =>
  execFileSync('git', arguments_, { cwd: repository, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
/** Tracked and new files. Ignored files must not be in an image. */
const ofGit = existsSync(join(repository, '.git'))
  ? new Set(inRepository(['ls-files', '--cached', '--others', '--exclude-standard', '-z']).split('\0'))
  : undefined

const exactVersion = /:\d+\.\d+\.\d+(?:-[a-z0-9.-]+)?$/

describe('the Dockerfile', () => {
  it('pins one base image of Node 20 by its full version and its digest', () => {
    const images = new Set(stages.map(({ image }) => image))
    expect([...images]).toEqual([expect.stringMatching(/^node:20\.\d+\.\d+-[a-z]+-slim@sha256:[0-9a-f]{64}$/)])
  })

  it('copies existing files to paths of the same name, and only from earlier stages', () => {
    const before = new Set<string>()
    for (const { name, instructions } of stages) {
      for (const instruction of instructions.filter((each) => each.name === 'COPY')) {
        const { from, sources, target } = copyOf(instruction)
        if (from !== undefined) expect(before).toContain(from)
        else for (const source of sources) expect(posix.join(target, target.endsWith('/') ? source : '')).toBe(source)
        for (const source of from === undefined ? sources : []) {
          expect(isLetIn(source), source).toBe(true)
          expect(existsSync(join(repository, source)), source).toBe(true)
        }
      }
      if (name !== undefined) before.add(name)
    }
  })

  it('installs from the lockfile without install scripts, and runs the packages that are published', () => {
    const commands = stages.map(({ instructions }) =>
      instructions.filter(({ name, text }) => name === 'RUN' && /\bnpm\b/.test(text)).map(({ text }) => text),
    )
    const installs = commands.flat().filter((text) => /npm (?:ci|i|install)\b/.test(text))
    expect(installs).toEqual([expect.stringMatching(/^npm ci --ignore-scripts /)])
    expect(commands.at(-2)?.at(-1)).toMatch(/^npm run --silent packages .*--staged/)
    expect(commands.at(-1)).toEqual([])
    expect(texts('COPY')).toEqual([expect.stringMatching(/^--from=build \S+\/packages\/staged node_modules$/)])
  })

  it('runs as a numeric user other than root', () => {
    expect(texts('USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)])
    const names = last.instructions.map(({ name }) => name)
    expect(names.slice(names.indexOf('USER'))).not.toContain('RUN')
  })

  it('starts the service without a shell, so that signals reach it', () => {
    const [entry = ''] = texts('ENTRYPOINT')
    const [program, file = ''] = execForm(entry) ?? []
    expect(program).toBe('node')
    expect(existsSync(join(repository, file.replace('/dist/', '/src/').replace(/\.js$/, '.ts')))).toBe(true)
    expect(texts('STOPSIGNAL')).toEqual(['SIGTERM'])
  })

  it('has valid settings, and none that turns authentication off', () => {
    const environment = environmentOf(last)
    const { SERVICE_PORT, SERVICE_DATA_DIR } = environment
    const { config, warnings } = loadConfig({ ...environment, SERVICE_MASTER_KEY: 'a1B2c3D4e5F6g7H8'.repeat(2) })
    expect(config).toMatchObject({ host: '0.0.0.0', port: Number(SERVICE_PORT), authEnabled: true })
    expect(warnings).toEqual([])
    expect(() => loadConfig(environment)).toThrow(ConfigError)
    expect(texts('EXPOSE')).toEqual([SERVICE_PORT])
    expect(texts('VOLUME')).toEqual([JSON.stringify([SERVICE_DATA_DIR])])
  })

  it('uses an existing probe as health check', () => {
    const [check = ''] = texts('HEALTHCHECK')
    const [program, flag, script = ''] = execForm(check) ?? []
    expect([program, flag]).toEqual(['node', '-e'])
    const [, path] = /\$\{process\.env\.SERVICE_PORT\}(\/\w+)`/.exec(script) ?? []
    expect(rootPaths).toContain(path)
  })
})

describe('the build context', () => {
  it('contains only files of the repository, and no tests, settings or keys', async () => {
    const files = await contextFiles(isLetIn)
    expect(files).toEqual(
      expect.arrayContaining(['package-lock.json', '.npmrc', 'models/keepsake-embed/weights.int8.safetensors']),
    )
    expect(files).toEqual(expect.arrayContaining(['packages/server/src/main.ts', 'packages/cli/keepsake.mjs']))
    if (ofGit) expect(files.filter((file) => !ofGit.has(file))).toEqual([])
    expect(files.filter((file) => /(?:^|\/)(?:\.env|data\/|test\/)|\.(?:pem|key|db|log)$/.test(file))).toEqual([])
  })

  it.each([
    '.env',
    '.git/config',
    'packages/server/.env.local',
    'packages/server/dist/main.js',
    'packages/server/node_modules/x/index.js',
    'node_modules/x/index.js',
    'deploy/.env',
    'data/keepsake.db',
    'docs/api.md',
  ])('excludes %s', (path) => expect(isLetIn(path)).toBe(false))
})

/* ------------------------------------------------------------------ compose.yaml */

interface ComposeService {
  readonly image: string
  readonly build?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly privileged?: boolean
  readonly user?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly tmpfs?: readonly string[]
  readonly networks: readonly string[] | Readonly<Record<string, { readonly ipv4_address?: string }>>
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test?: readonly string[] }
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly networks: Readonly<
    Record<string, { readonly internal?: boolean; readonly ipam?: { config: { subnet: string }[] } }>
  >
  readonly volumes: Readonly<Record<string, unknown>>
}

describe('compose.yaml', () => {
  const text = read('compose.yaml')
  const compose: Compose = parse(text, { merge: true })
  const services = Object.entries(compose.services)
  const instances = services.filter(([, { build }]) => build !== undefined)
  const [, instance] = instances[0] ?? []
  const nginx = read('deploy/nginx.conf')
  const { proxy } = compose.services
  if (instance === undefined || proxy === undefined) throw new Error('compose.yaml has no instance or no proxy')

  it('has two instances of this version, and pins other images by their full version', () => {
    expect(instances.map(([, { image }]) => image)).toEqual([`keepsake:${version}`, `keepsake:${version}`])
    const others = services.filter(([, { build }]) => build === undefined).map(([, { image }]) => image)
    const tag = /:\d+\.\d+\.\d+-(?:alpine|pg\d+-bookworm)(?:@sha256:[0-9a-f]{64})?$/
    for (const image of others) expect(image).toMatch(tag)
    expect(others.join(' ')).toMatch(/nginx.*pgvector.*redis/)
  })

  it('contains no secret: each comes from the env file, and a missing one stops the start', () => {
    const wanted = [...text.matchAll(/(?<!\$)\$\{([A-Z_]+)([^}]*)\}/g)]
    expect(wanted.length).toBeGreaterThan(3)
    for (const [all, , rest] of wanted) expect(rest, all).toMatch(/^:\?./)
    const secrets = new Set(wanted.map(([, name]) => name))
    const offered = read('deploy/example.env')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    // Empty, so that no deployment uses a published password.
    expect(new Set(offered)).toEqual(new Set([...secrets].map((name) => `${name}=`)))
    for (const [name, { environment = {} }] of services)
      for (const [variable, value] of Object.entries(environment))
        if (/PASSWORD|KEY|SECRET|_URL$/.test(variable)) expect(value, `${name}: ${variable}`).toMatch(/\$\{[A-Z_]+:\?/)
    if (ofGit) expect(ofGit.has('deploy/.env')).toBe(false)
  })

  it('uses existing settings with valid values', () => {
    const settings = Object.entries(instance.environment ?? {})
    for (const [name] of settings) expect(settingNames).toContain(name)
    const filled = settings.map(([name, value]) => [
      name,
      value.replaceAll(/\$\{[^}]+\}/g, '0123456789abcdef'.repeat(4)),
    ])
    const { config } = loadConfig({ ...environmentOf(last), ...Object.fromEntries(filled) })
    expect(config).toMatchObject({ authEnabled: true, databaseUrl: expect.stringContaining('@database:5432/keepsake') })
  })

  it('gives containers minimal privileges', () => {
    for (const [name, service] of services) {
      expect(service.privileged, name).toBeUndefined()
      expect(service.security_opt, name).toContain('no-new-privileges:true')
      // PostgreSQL's image starts as root to take ownership of its folder, and then drops the privilege.
      if (name === 'database') continue
      expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
      if (service.build === undefined) expect(service.user, name).toMatch(/^[1-9]\d*:/)
    }
    const writable = (instance.tmpfs ?? []).map((mount) => mount.split(':')[0])
    expect(writable).toEqual(['/tmp', environmentOf(last).SERVICE_DATA_DIR])
    const [owner] = texts('USER')
    expect(instance.tmpfs?.[1]).toContain(`uid=${owner?.split(':')[0]}`)
  })

  it('has health checks for all, and waits for dependencies at start', () => {
    for (const [name, { healthcheck, build }] of services) {
      expect(healthcheck, name).toBeDefined()
      if (build === undefined) expect(healthcheck?.test, name).toBeDefined()
    }
    expect(instance.depends_on).toMatchObject({ database: { condition: 'service_healthy' } })
    expect(Object.keys(proxy.depends_on ?? {})).toEqual(instances.map(([name]) => name))
    const [, , , , , probe = ''] = proxy.healthcheck?.test ?? []
    expect(rootPaths).toContain(new URL(probe).pathname)
  })

  it('publishes only the proxy, and only on this machine', () => {
    for (const [name, { ports }] of services) if (name !== 'proxy') expect(ports, name).toBeUndefined()
    expect(proxy.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+:8080$/)])
    expect(nginx).toMatch(/^\s*listen 8080;$/m)
    for (const [name, { networks }] of services) if (name !== 'proxy') expect(networks, name).toEqual(['inside'])
    expect(compose.networks.inside?.internal).toBe(true)
  })

  it('trusts only the proxy for client addresses, and the proxy overwrites addresses that a client sends', () => {
    const address = 'inside' in proxy.networks ? proxy.networks.inside.ipv4_address : undefined
    expect(instance.environment?.SERVICE_TRUSTED_PROXIES).toBe(address)
    const [subnet = ''] = compose.networks.inside?.ipam?.config.map((each) => each.subnet) ?? []
    expect(subnet).toMatch(/\.0\/24$/)
    expect(address?.startsWith(subnet.replace(/0\/24$/, ''))).toBe(true)
    expect(nginx).toMatch(/proxy_set_header X-Forwarded-For \$remote_addr;/)
  })

  it('proxies to all instances, and contains the files that it mounts', () => {
    const upstreams = [...nginx.matchAll(/^\s*server ([a-z0-9-]+):(\d+)\b/gm)].map(([, name, port]) => [name, port])
    expect(upstreams).toEqual(instances.map(([name]) => [name, texts('EXPOSE')[0]]))
    for (const [name, { volumes = [] }] of services) {
      for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
        if (!source.startsWith('./')) expect(Object.keys(compose.volumes), name).toContain(source)
        else expect(ofGit?.has(source.slice(2)) ?? existsSync(join(repository, source)), source).toBe(true)
      }
    }
  })
})

/* ------------------------------------------------------------------ deploy/kubernetes.yaml */

describe('the Kubernetes manifests in deploy/kubernetes.yaml', () => {
  const manifests = read('deploy/kubernetes.yaml')
    .split(/^---$/m)
    .map((text) => parse(text))
  const byKind = (kind: string) => manifests.find((manifest) => manifest.kind === kind)
  const deployment = byKind('Deployment')
  const [container] = deployment.spec.template.spec.containers

  it('are complete, with one set of labels', () => {
    const labels = deployment.spec.template.metadata.labels
    expect(deployment.spec.selector.matchLabels).toEqual(labels)
    expect(byKind('Service').spec.selector).toEqual(labels)
    expect(byKind('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels)
    expect(deployment.spec.replicas).toBeGreaterThanOrEqual(2)
  })

  it('run this version with existing settings, and read secrets from a Secret', () => {
    expect(container.image).toMatch(new RegExp(`/keepsake:${version}$`))
    expect(container.image).toMatch(exactVersion)
    const names = container.env.map(({ name }: { name: string }) => name)
    for (const name of names.filter((each: string) => each.startsWith('SERVICE_'))) expect(settingNames).toContain(name)
    for (const { name, value } of container.env) if (/KEY|URL/.test(name)) expect(value, name).toBeUndefined()
    const secret = byKind('Secret')
    for (const { name, valueFrom } of container.env.filter((each: { valueFrom?: unknown }) => each.valueFrom)) {
      expect(valueFrom.secretKeyRef.name).toBe(secret.metadata.name)
      const value = secret.stringData[valueFrom.secretKeyRef.key]
      // An empty value must stop the start: without its database the service would keep memories in a folder that disappears with the pod.
      expect(() => loadConfig({ [name]: value }), name).toThrow(new RegExp(`^${name}: `))
    }
  })

  it('use the probes of the service on its port', () => {
    const [port] = container.ports
    expect(String(port.containerPort)).toBe(texts('EXPOSE')[0])
    expect(byKind('Service').spec.ports[0].targetPort).toBe(port.name)
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe]
    for (const { httpGet } of probes) {
      expect(rootPaths).toContain(httpGet.path)
      expect(httpGet.port).toBe(port.name)
    }
    // An instance reconnects to a database that was away, so it must not be restarted for that.
    expect(container.livenessProbe.httpGet.path).toBe('/livez')
  })

  it('run as the user of the image, write only to volumes, and have resource limits', () => {
    const [uid, gid] = (texts('USER')[0] ?? '').split(':').map(Number)
    expect(deployment.spec.template.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: uid,
      fsGroup: gid,
    })
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.resources).toMatchObject({
      requests: { memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    })
    const mounted = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
    expect(mounted).toEqual(expect.arrayContaining(['/tmp', environmentOf(last).SERVICE_DATA_DIR]))
    expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(30)
  })
})
