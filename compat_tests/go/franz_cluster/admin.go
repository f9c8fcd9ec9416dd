package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// code returns the name of an error of the protocol, whose text differs among brokers.
func code(err error) string {
	if err == nil {
		return "ok"
	}
	var known *kerr.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return fmt.Sprint(err)
}

// Admin prints what each step has done.
type Admin struct {
	*kadm.Client
	ctx context.Context
}

func (a *Admin) print(what string, lines ...string) {
	sort.Strings(lines)
	fmt.Printf("%s: %s\n", what, strings.Join(lines, "; "))
}

// eventually waits until a condition holds, which a broker brings about after its answer.
func (a *Admin) eventually(what string, holds func() bool) {
	for !holds() {
		select {
		case <-a.ctx.Done():
			fail(errors.New("still not so: " + what))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// partitions returns a line about each partition of a topic.
func (a *Admin) partitions(topic string) []string {
	found, err := a.Metadata(a.ctx, topic)
	if err != nil {
		return []string{code(err)}
	}
	if err := found.Topics[topic].Err; err != nil {
		return []string{code(err)}
	}
	var lines []string
	for _, each := range found.Topics[topic].Partitions.Sorted() {
		isr := append([]int32{}, each.ISR...)
		sort.Slice(isr, func(i, j int) bool { return isr[i] < isr[j] })
		lines = append(lines, fmt.Sprintf("%d leader %d replicas %v isr %v", each.Partition, each.Leader, each.Replicas, isr))
	}
	return lines
}

func (a *Admin) awaitPartitions(topic string, wanted ...string) {
	var found []string
	a.eventually("partitions of "+topic, func() bool {
		found = a.partitions(topic)
		return fmt.Sprint(found) == fmt.Sprint(wanted)
	})
	a.print("partitions", found...)
}

func (a *Admin) assign(what string, topic string, plan map[int32][]int32) {
	request := kadm.AlterPartitionAssignmentsReq{}
	for partition, replicas := range plan {
		request.Assign(topic, partition, replicas)
	}
	answers, err := a.AlterPartitionAssignments(a.ctx, request)
	if err != nil {
		a.print(what, code(err))
		return
	}
	var lines []string
	for _, each := range answers.Sorted() {
		lines = append(lines, fmt.Sprintf("%s-%d %s", each.Topic, each.Partition, code(each.Err)))
	}
	a.print(what, lines...)
}

func (a *Admin) elect(what string, how kadm.ElectLeadersHow, topic string, partitions ...int32) {
	topics := kadm.TopicsSet{}
	topics.Add(topic, partitions...)
	results, err := a.ElectLeaders(a.ctx, how, topics)
	if err != nil {
		a.print(what, code(err))
		return
	}
	var lines []string
	for _, each := range results[topic] {
		lines = append(lines, fmt.Sprintf("%s-%d %s", each.Topic, each.Partition, code(each.Err)))
	}
	a.print(what, lines...)
}

func (a *Admin) create(what string, partitions int32, replicas int16, topics ...string) {
	answers, err := a.CreateTopics(a.ctx, partitions, replicas, map[string]*string{"retention.ms": kadm.StringPtr("5000000")}, topics...)
	if err != nil {
		a.print(what, code(err))
		return
	}
	var lines []string
	for _, each := range answers.Sorted() {
		lines = append(lines, fmt.Sprintf("%s %s partitions %d replicas %d", each.Topic, code(each.Err), each.NumPartitions, each.ReplicationFactor))
	}
	a.print(what, lines...)
}

func (a *Admin) noReassignments() bool {
	found, err := a.ListPartitionReassignments(a.ctx, nil)
	return err == nil && len(found.Sorted()) == 0
}

func administer(bootstrap string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(bootstrap, ",")...), kgo.MetadataMinAge(100*time.Millisecond))
	check(err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	a := &Admin{kadm.NewClient(client), ctx}

	brokers, err := a.ListBrokers(ctx)
	check(err)
	a.print("brokers", fmt.Sprint(brokers.NodeIDs()))
	a.create("create", 1, 3, "one", "two")
	a.create("create again", 1, 3, "one")
	a.create("create with too many replicas", 1, 4, "three")
	a.create("create with a wrong name", 1, 1, "a b")
	a.eventually("leaders", func() bool {
		found, err := a.ListTopics(ctx, "one", "two")
		if err != nil || found.Error() != nil {
			return false
		}
		for _, topic := range found {
			for _, partition := range topic.Partitions {
				if partition.Leader < 0 || len(partition.ISR) != 3 {
					return false
				}
			}
		}
		return len(found) == 2
	})

	a.lead("one", map[int32][]int32{0: {0, 1, 2}})
	a.assign("move", "one", map[int32][]int32{0: {0, 1}})
	a.eventually("the move is over", a.noReassignments)
	a.awaitPartitions("one", "0 leader 0 replicas [0 1] isr [0 1]")
	a.assign("turn", "one", map[int32][]int32{0: {1, 0}})
	a.eventually("the turn is over", a.noReassignments)
	a.awaitPartitions("one", "0 leader 0 replicas [1 0] isr [0 1]")
	a.elect("elect", kadm.ElectPreferredReplica, "one", 0)
	a.awaitPartitions("one", "0 leader 1 replicas [1 0] isr [0 1]")
	a.elect("elect again", kadm.ElectPreferredReplica, "one", 0)
	a.elect("elect where it is not needed", kadm.ElectLiveReplica, "one", 0)
	a.elect("elect an unknown partition", kadm.ElectPreferredReplica, "one", 9)
	a.assign("move an unknown partition", "one", map[int32][]int32{9: {0}})
	a.assign("move to an unknown broker", "one", map[int32][]int32{0: {0, 9}})
	a.assign("move to one broker twice", "one", map[int32][]int32{0: {0, 0}})
	a.assign("cancel nothing", "one", map[int32][]int32{0: nil})

	for _, grow := range []struct {
		what string
		add  int
	}{{"two more partitions", 2}, {"no more partitions", 0}} {
		grown, err := a.CreatePartitions(ctx, grow.add, "one", "nobody")
		if err != nil {
			a.print(grow.what, code(err))
			continue
		}
		var lines []string
		for _, each := range grown.Sorted() {
			lines = append(lines, each.Topic+" "+code(each.Err))
		}
		a.print(grow.what, lines...)
	}
	a.lead("one", map[int32][]int32{1: {2, 1}, 2: {0, 2}})
	a.assign("turn all", "one", map[int32][]int32{1: {1, 2}, 2: {2, 0}})
	a.eventually("the turns are over", a.noReassignments)
	a.awaitPartitions("one", "0 leader 1 replicas [1 0] isr [0 1]", "1 leader 2 replicas [1 2] isr [1 2]", "2 leader 0 replicas [2 0] isr [0 2]")
	a.elect("elect all", kadm.ElectPreferredReplica, "one", 0, 1, 2)
	a.awaitPartitions("one", "0 leader 1 replicas [1 0] isr [0 1]", "1 leader 1 replicas [1 2] isr [1 2]", "2 leader 2 replicas [2 0] isr [0 2]")

	altered, err := a.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: kadm.StringPtr("6000000")}}, "one", "nobody")
	if err != nil {
		a.print("alter configs", code(err))
	} else {
		var lines []string
		for _, each := range altered {
			lines = append(lines, each.Name+" "+code(each.Err))
		}
		a.print("alter configs", lines...)
	}
	a.eventually("the config", func() bool {
		described, err := a.DescribeTopicConfigs(ctx, "one")
		if err != nil {
			return false
		}
		for _, each := range described[0].Configs {
			if each.Key == "retention.ms" {
				return each.MaybeValue() == "6000000"
			}
		}
		return false
	})

	for number := 0; number < 30; number++ {
		record := &kgo.Record{Topic: "one", Partition: int32(number % 3), Value: []byte("value")}
		_ = record
		check(client.ProduceSync(ctx, &kgo.Record{Topic: "two", Value: []byte("value")}).FirstErr())
	}
	deleted, err := a.DeleteRecords(ctx, kadm.OffsetsFromRecords(kgo.Record{Topic: "two", Offset: 9}))
	check(err)
	deleted.Each(func(each kadm.DeleteRecordsResponse) {
		a.print("delete records", fmt.Sprintf("%s-%d %s low watermark %d", each.Topic, each.Partition, code(each.Err), each.LowWatermark))
	})
	starts, err := a.ListStartOffsets(ctx, "two")
	check(err)
	ends, err := a.ListEndOffsets(ctx, "two")
	check(err)
	start, _ := starts.Lookup("two", 0)
	end, _ := ends.Lookup("two", 0)
	a.print("offsets", fmt.Sprintf("from %d to %d", start.Offset, end.Offset))

	offsets := kadm.Offsets{}
	offsets.AddOffset("two", 0, 12, -1)
	check(a.CommitAllOffsets(ctx, "group", offsets))
	groups, err := a.DescribeGroups(ctx, "group", "nobody")
	check(err)
	for _, each := range groups.Sorted() {
		a.print("group", fmt.Sprintf("%s %s %s %d members", each.Group, code(each.Err), each.State, len(each.Members)))
	}
	fetched, err := a.FetchOffsets(ctx, "group")
	check(err)
	fetched.Each(func(each kadm.OffsetResponse) {
		a.print("committed", fmt.Sprintf("%s-%d %d %s", each.Topic, each.Partition, each.At, code(each.Err)))
	})
	gone, err := a.DeleteGroups(ctx, "group", "nobody")
	check(err)
	for _, each := range gone.Sorted() {
		a.print("delete group", each.Group+" "+code(each.Err))
	}

	removed, err := a.DeleteTopics(ctx, "one", "two", "nobody")
	check(err)
	var lines []string
	for _, each := range removed.Sorted() { // by their ids, which are random
		lines = append(lines, each.Topic+" "+code(each.Err))
	}
	a.print("delete topics", lines...)
	a.eventually("no topics", func() bool {
		found, err := a.ListTopics(ctx)
		return err == nil && len(found.Names()) == 0
	})
	a.print("topics", "none")
}

// lead moves partitions, and has the first replica of each lead it, which any of them may do already: it does not print
// what became of the election.
func (a *Admin) lead(topic string, plan map[int32][]int32) {
	a.assign("place", topic, plan)
	a.eventually("the placement is over", a.noReassignments)
	topics := kadm.TopicsSet{}
	for partition := range plan {
		topics.Add(topic, partition)
	}
	a.eventually("the leaders of "+topic, func() bool {
		_, electionErr := a.ElectLeaders(a.ctx, kadm.ElectPreferredReplica, topics)
		found, err := a.Metadata(a.ctx, topic)
		if electionErr != nil || err != nil {
			return false
		}
		for partition, replicas := range plan {
			if known, exists := found.Topics[topic].Partitions[partition]; !exists || known.Leader != replicas[0] {
				return false
			}
		}
		return true
	})
}
