export default function HealthPage() {
  return <p>To come.</p>
}
