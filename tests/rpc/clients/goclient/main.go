// goclient is a client of Cycloud as a user would write one: its code is generated from the protos, and it knows
// nothing of the portal but an address and a token. It creates a volume, waits for the operation, lists, watches,
// reads an error with its details, and deletes. Each line of its output is one thing that held.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	commonv1 "cycloud.jp/api/common/v1"
	computev1 "cycloud.jp/api/compute/v1"
)

const limit = 90 * time.Second

type client struct {
	parent     string
	volumes    computev1.VolumeServiceClient
	operations longrunningpb.OperationsClient
}

func main() {
	address := flag.String("address", "127.0.0.1:50051", "host:port of the portal")
	project := flag.String("project", "demo", "id of the project")
	volumeType := flag.String("volume-type", "cgp1-short", "type of the volume to make")
	zone := flag.String("zone", "apne1a", "availability zone of the volume to make")
	flag.Parse()
	connection, err := grpc.NewClient(*address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		fail(err)
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+os.Getenv("CYCLOUD_TOKEN"))
	c := &client{
		parent:     "projects/" + *project,
		volumes:    computev1.NewVolumeServiceClient(connection),
		operations: longrunningpb.NewOperationsClient(connection),
	}
	if err := c.story(ctx, *volumeType, *zone); err != nil {
		fail(err)
	}
}

func (c *client) story(ctx context.Context, volumeType, zone string) error {
	name := c.parent + "/volumes/goclient"
	operation, err := c.volumes.CreateVolume(ctx, &computev1.CreateVolumeRequest{
		Parent:   c.parent,
		VolumeId: "goclient",
		Volume:   &computev1.Volume{VolumeType: volumeType, AvailabilityZone: zone, Size: "5Gi"},
	})
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	volume := &computev1.Volume{}
	if err := c.wait(ctx, operation, volume); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	fmt.Printf("created %s: %s %s\n", volume.Name, volume.State, volume.Size)
	version, err := c.list(ctx, name)
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if err := c.watch(ctx, name, version); err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	if err := c.refusal(ctx); err != nil {
		return fmt.Errorf("refusal: %w", err)
	}
	operation, err = c.volumes.DeleteVolume(ctx, &computev1.DeleteVolumeRequest{Name: name})
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	if err := c.wait(ctx, operation, volume); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	fmt.Printf("deleted, purged %s\n", volume.PurgeTime.AsTime().Sub(volume.DeleteTime.AsTime()))
	return nil
}

// wait returns when the operation is done, with the resource in volume.
func (c *client) wait(ctx context.Context, operation *longrunningpb.Operation, volume *computev1.Volume) error {
	for !operation.Done {
		waited, err := c.operations.WaitOperation(ctx, &longrunningpb.WaitOperationRequest{
			Name:    operation.Name,
			Timeout: durationpb.New(10 * time.Second),
		})
		if err != nil {
			return err
		}
		operation = waited
	}
	if operation.GetError() != nil {
		return status.ErrorProto(operation.GetError())
	}
	details := &commonv1.OperationMetadata{}
	if err := operation.Metadata.UnmarshalTo(details); err != nil {
		return err
	}
	fmt.Printf("operation %s of %s is done\n", details.Verb, details.Target)
	return operation.GetResponse().UnmarshalTo(volume)
}

// list goes through all pages, one volume on each, and returns the version of the first one.
func (c *client) list(ctx context.Context, wanted string) (string, error) {
	version, token, found := "", "", 0
	for {
		page, err := c.volumes.ListVolumes(ctx, &computev1.ListVolumesRequest{
			Parent: c.parent, PageSize: 1, PageToken: token, Filter: "state = AVAILABLE",
		})
		if err != nil {
			return "", err
		}
		if version == "" {
			version = page.ResourceVersion
		}
		for _, volume := range page.Volumes {
			if volume.Name == wanted {
				found++
			}
		}
		token = page.NextPageToken
		if token == "" {
			break
		}
	}
	if found != 1 {
		return "", fmt.Errorf("%s is in the list %d times", wanted, found)
	}
	fmt.Printf("listed %s\n", wanted)
	return version, nil
}

// watch changes the volume and sees the change.
func (c *client) watch(ctx context.Context, name, version string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.volumes.WatchVolumes(ctx, &computev1.WatchVolumesRequest{
		Parent: c.parent, ResourceVersion: version,
	})
	if err != nil {
		return err
	}
	_, err = c.volumes.UpdateVolume(ctx, &computev1.UpdateVolumeRequest{
		Volume:     &computev1.Volume{Name: name, Labels: map[string]string{"by": "goclient"}},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"labels"}},
	})
	if err != nil {
		return err
	}
	for {
		event, err := stream.Recv()
		if err != nil {
			return err
		}
		if event.Resource.GetName() == name && event.Resource.Labels["by"] == "goclient" {
			fmt.Printf("watched %s\n", event.Type)
			return nil
		}
	}
}

// refusal reads the details of an error.
func (c *client) refusal(ctx context.Context) error {
	_, err := c.volumes.GetVolume(ctx, &computev1.GetVolumeRequest{Name: c.parent + "/volumes/nowhere"})
	refused := status.Convert(err)
	if refused.Code() != codes.NotFound {
		return fmt.Errorf("expected NOT_FOUND, got %v", err)
	}
	var info *errdetails.ErrorInfo
	var resource *errdetails.ResourceInfo
	var help *errdetails.Help
	for _, detail := range refused.Details() {
		switch found := detail.(type) {
		case *errdetails.ErrorInfo:
			info = found
		case *errdetails.ResourceInfo:
			resource = found
		case *errdetails.Help:
			help = found
		}
	}
	if info == nil || resource == nil || help == nil {
		return errors.New("a detail is missing")
	}
	fmt.Printf("refused %s %s, %s %s, %d link\n", refused.Code(), info.Reason, resource.ResourceType,
		resource.ResourceName, len(help.Links))
	return nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
