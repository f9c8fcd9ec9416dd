// Sets, checks, describes and deletes client quotas with kadm, and prints a line for each step.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

func name(s string) *string { return &s }

func named(kind string, name *string) kadm.ClientQuotaEntityComponent {
	return kadm.ClientQuotaEntityComponent{Type: kind, Name: name}
}

func describe(ctx context.Context, admin *kadm.Client, label string, strict bool, filters ...kadm.DescribeClientQuotaComponent) {
	found, err := admin.DescribeClientQuotas(ctx, strict, filters)
	if err != nil {
		fmt.Printf("%s: %s\n", label, code(err))
		return
	}
	var lines []string
	for _, each := range found {
		var values []string
		for _, value := range each.Values {
			values = append(values, fmt.Sprintf("%s=%g", value.Key, value.Value))
		}
		sort.Strings(values)
		lines = append(lines, fmt.Sprintf("%s %s", text(each.Entity), strings.Join(values, " ")))
	}
	sort.Strings(lines)
	fmt.Printf("%s: %s\n", label, strings.Join(lines, "; "))
}

// text returns an entity as {type=name, ...}, sorted: brokers give the parts in any order.
func text(entity kadm.ClientQuotaEntity) string {
	var parts []string
	for _, part := range entity {
		shown := "<default>"
		if part.Name != nil {
			shown = *part.Name
		}
		parts = append(parts, part.Type+"="+shown)
	}
	sort.Strings(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}

// code returns the name of an error of the protocol, whose text differs among brokers.
func code(err error) string {
	var known *kerr.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return fmt.Sprint(err)
}

func report(label string, altered kadm.AlteredClientQuotas, err error) {
	if err != nil {
		fmt.Printf("%s: %s\n", label, code(err))
		return
	}
	var lines []string
	for _, each := range altered {
		lines = append(lines, fmt.Sprintf("%s %s", text(each.Entity), code(each.Err)))
	}
	sort.Strings(lines)
	fmt.Printf("%s: %s\n", label, strings.Join(lines, "; "))
}

func main() {
	client, err := kgo.NewClient(kgo.SeedBrokers(os.Args[1]))
	if err != nil {
		panic(err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	set := func(key string, value float64) kadm.AlterClientQuotaOp {
		return kadm.AlterClientQuotaOp{Key: key, Value: value}
	}
	entries := []kadm.AlterClientQuotaEntry{
		{Entity: kadm.ClientQuotaEntity{named("user", name("go"))},
			Ops: []kadm.AlterClientQuotaOp{set("producer_byte_rate", 1e9), set("request_percentage", 99.5)}},
		{Entity: kadm.ClientQuotaEntity{named("user", name("go")), named("client-id", nil)},
			Ops: []kadm.AlterClientQuotaOp{set("consumer_byte_rate", 2e9)}},
		{Entity: kadm.ClientQuotaEntity{named("ip", name("10.9.8.7"))},
			Ops: []kadm.AlterClientQuotaOp{set("connection_creation_rate", 1e6)}},
		{Entity: kadm.ClientQuotaEntity{named("user", name("wrong"))},
			Ops: []kadm.AlterClientQuotaOp{set("producer_byte_rate", -1)}},
	}
	checked, err := admin.ValidateAlterClientQuotas(ctx, entries)
	report("validate", checked, err)
	exact := func(kind, match string) kadm.DescribeClientQuotaComponent {
		return kadm.DescribeClientQuotaComponent{Type: kind, MatchName: &match, MatchType: 0}
	}
	describe(ctx, admin, "not set yet", false, exact("user", "go"))
	altered, err := admin.AlterClientQuotas(ctx, entries)
	report("alter", altered, err)
	time.Sleep(500 * time.Millisecond) // a KRaft broker answers before it shows the change
	describe(ctx, admin, "user", false, exact("user", "go"))
	describe(ctx, admin, "user, strict", true, exact("user", "go"))
	describe(ctx, admin, "ips", false, kadm.DescribeClientQuotaComponent{Type: "ip", MatchType: 2})
	describe(ctx, admin, "a filter that is not valid", false, kadm.DescribeClientQuotaComponent{Type: "user", MatchType: 7})
	var removals []kadm.AlterClientQuotaEntry
	for _, entry := range entries[:3] {
		removal := kadm.AlterClientQuotaEntry{Entity: entry.Entity}
		for _, op := range entry.Ops {
			removal.Ops = append(removal.Ops, kadm.AlterClientQuotaOp{Key: op.Key, Remove: true})
		}
		removals = append(removals, removal)
	}
	altered, err = admin.AlterClientQuotas(ctx, removals)
	report("delete", altered, err)
	time.Sleep(500 * time.Millisecond)
	describe(ctx, admin, "all", false, exact("user", "go"))
}
